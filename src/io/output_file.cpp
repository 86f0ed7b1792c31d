// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "base/expects.hpp"
#include "io/output_target.hpp"
#include "io/system.hpp"
#include "io/unfinished.hpp"
#include "stridewise/io.hpp"

namespace stridewise {

namespace fs = std::filesystem;

namespace {

fs::path name_in_proc(int descriptor) {
  return fmt::format("/proc/self/fd/{}", descriptor);
}

// Whether /proc is there, by which a nameless file gets a name.
bool can_be_named(int descriptor) {
  struct stat own {
  }, named{};
  return ::fstat(descriptor, &own) == 0 &&
         ::stat(name_in_proc(descriptor).c_str(), &named) == 0 &&
         is_same_file(own, named);
}

// 0, or what errno said.
int give_name(int descriptor, const fs::path& name) {
  return ::linkat(AT_FDCWD, name_in_proc(descriptor).c_str(), AT_FDCWD,
                  name.c_str(), AT_SYMLINK_FOLLOW) == 0
             ? 0
             : errno;
}

// What the system could not write yet, as those of a network may tell only now. Closing
// another descriptor of the file asks them; this one keeps the file marked.
bool all_arrived(int descriptor) {
  Descriptor other(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0));
  return other.get() >= 0 && other.close();
}

Result<void> sync_folder(const fs::path& folder) {
  const Descriptor opened(
      ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (opened.get() < 0 || ::fsync(opened.get()) != 0) {
    return io_error(folder, "cannot bring its names to the disk", errno);
  }
  return {};
}

}  // namespace

struct OutputFile::State {
  OutputTarget target;
  UnfinishedName name;  // empty: nameless
  Descriptor file;
  void* data = nullptr;
  std::size_t size = 0;

  ~State() { unmap(); }
  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  void unmap() {
    if (data != nullptr) ::munmap(data, size);
    data = nullptr;
    size = 0;
  }

  // No more than permissions: whoever runs a setuid file is its owner meanwhile, and the
  // owner may be another one now.
  [[nodiscard]] mode_t mode() const {
    return target.exists ? target.status.st_mode & 0777 : 0666;
  }

  // Nameless where the folder and the system know such files, else under a hidden name.
  Result<void> open() {
    file = Descriptor(
        ::open(target.folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, mode()));
    const bool unknown = file.get() < 0 ? errno == EOPNOTSUPP ||
                                              errno == EISDIR || errno == EINVAL
                                        : !can_be_named(file.get());
    if (unknown) {
      name = UnfinishedName(target.folder);
      file = Descriptor(::open(name.path().c_str(),
                               O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode()));
    }
    if (file.get() < 0) return io_error(target.path, "cannot create", errno);
    mark_unfinished(file.get());
    return {};
  }

  Result<void> be_like_target() {
    if (!target.exists) return {};
    // Only root may give a file away, and then its owner can read it as before.
    if (::geteuid() == 0) {
      static_cast<void>(::fchown(file.get(), target.status.st_uid,
                                 target.status.st_gid) == 0);
    }
    if (::fchmod(file.get(), mode()) == 0) return {};
    return io_error(target.path, "cannot set its mode", errno);
  }

  // Reserves the blocks: a mapping of a file with holes would be killed by a signal when
  // the disk fills up later.
  Result<void> reserve(std::int64_t bytes) {
    if (bytes == 0) return {};
    const int code = ::posix_fallocate(file.get(), 0, bytes);
    if (code != 0) {
      return io_error(target.path,
                      fmt::format("cannot reserve {} bytes", bytes), code);
    }
    Result<void*> mapped =
        map(target.path, file.get(), static_cast<std::size_t>(bytes),
            PROT_READ | PROT_WRITE);
    if (!mapped) return unexpected(mapped.error());
    data = *mapped;
    size = static_cast<std::size_t>(bytes);
    return {};
  }

  // Gives the file the name of the target.
  Result<void> take_name() {
    if (name.empty()) {
      const int code = give_name(file.get(), target.path);
      if (code == 0) return {};
      // A link does not replace, as a rename does, which needs a first name.
      if (code != EEXIST) return io_error(target.path, "cannot create", code);
      name = UnfinishedName(target.folder);
      if (const int again = give_name(file.get(), name.path()); again != 0) {
        return io_error(target.path, "cannot create", again);
      }
    }
    if (::rename(name.path().c_str(), target.path.c_str()) != 0) {
      return io_error(target.path, "cannot create", errno);
    }
    name.release();
    return {};
  }
};

OutputFile::OutputFile(std::unique_ptr<State> state)
    : state_(std::move(state)) {}
OutputFile::OutputFile(OutputFile&& other) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&& other) noexcept = default;
OutputFile::~OutputFile() = default;

Result<OutputFile> OutputFile::create(const fs::path& path, std::int64_t size) {
  if (size < 0) {
    return fail(ErrorCode::invalid_value,
                fmt::format("{}: a size of {} bytes", path.string(), size));
  }
  auto state = std::make_unique<State>();
  Result<OutputTarget> target = find_output_target(path);
  if (!target) return unexpected(target.error());
  state->target = *std::move(target);
  Result<void> done = check_free_space(state->target, size);
  if (done) done = state->open();
  if (done) done = state->be_like_target();
  if (done) done = state->reserve(size);
  if (!done) return unexpected(done.error());
  return OutputFile(std::move(state));
}

std::span<std::byte> OutputFile::bytes() const {
  if (!state_) return {};
  return {static_cast<std::byte*>(state_->data), state_->size};
}

Result<void> OutputFile::cut_to(std::int64_t size) {
  STRIDEWISE_EXPECTS(state_ != nullptr,
                     "OutputFile::cut_to: it was not moved from");
  STRIDEWISE_EXPECTS(
      size >= 0 && static_cast<std::size_t>(size) <= state_->size,
      "OutputFile::cut_to: at most the size of the file");
  if (::ftruncate(state_->file.get(), size) == 0) return {};
  return io_error(state_->target.path, "cannot write", errno);
}

Result<void> OutputFile::commit(Sync sync) {
  STRIDEWISE_EXPECTS(state_ != nullptr,
                     "OutputFile::commit: it was not moved from");
  State& state = *state_;
  state.unmap();
  const int descriptor = state.file.get();
  if ((sync == Sync::now && ::fsync(descriptor) != 0) ||
      !all_arrived(descriptor)) {
    return io_error(state.target.path, "cannot write", errno);
  }
  if (Result<void> named = state.take_name(); !named) return named;
  if (sync == Sync::now) return sync_folder(state.target.folder);
  return {};
}

}  // namespace stridewise
