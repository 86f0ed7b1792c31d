// Opens containers of all formats, finds their tensors and gives their bytes.
// SPDX-License-Identifier: Apache-2.0
#include "stridewise/container.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <new>
#include <utility>

#include "io/containers/directory.hpp"
#include "io/containers/inflate.hpp"
#include "io/containers/names.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;

Result<Directory> read_directory(ContainerFormat format, const fs::path& path,
                                 std::span<const std::byte> file) {
  switch (format) {
    case ContainerFormat::safetensors:
      return read_safetensors(file);
    case ContainerFormat::safetensors_index:
      return read_index(file, path.parent_path());
    case ContainerFormat::gguf:
      return read_gguf(file);
    case ContainerFormat::npz:
      return read_npz(file);
  }
  return fail(ErrorCode::unsupported, "no container");
}

// The names that a misspelt one is compared with: all, or, of very many, its neighbours.
std::vector<std::string> candidates(std::string_view name,
                                    std::span<const ContainedTensor> tensors,
                                    std::span<const std::size_t> by_name) {
  constexpr std::size_t most = 4096;
  const auto next = std::ranges::lower_bound(by_name, name, {}, [&](auto k) {
    return std::string_view(tensors[k].name);
  });
  const auto at = static_cast<std::size_t>(next - by_name.begin());
  const std::size_t first =
      std::min(at - std::min(at, most / 2),
               by_name.size() - std::min(by_name.size(), most));
  std::vector<std::string> names;
  for (const std::size_t k :
       by_name.subspan(first, std::min(most, by_name.size() - first))) {
    names.push_back(tensors[k].name);
  }
  return names;
}

// The checksum of a long file takes no more memory than a part of it.
std::uint32_t checksum_of(const MappedFile& file, std::int64_t offset,
                          std::int64_t count) {
  constexpr std::int64_t part = std::int64_t{1} << 24;
  std::uint32_t checksum = 0;
  for (std::int64_t done = 0; done < count; done += part) {
    const std::int64_t bytes = std::min(part, count - done);
    checksum =
        crc32_of(file.bytes().subspan(static_cast<std::size_t>(offset + done),
                                      static_cast<std::size_t>(bytes)),
                 checksum);
    if (count > part) file.forget(offset + done, bytes);
  }
  return checksum;
}

Result<LoadedTensor> inflate_member(std::span<const std::byte> packed,
                                    const Container::Member& member) {
  const auto size = static_cast<std::size_t>(member.bytes);
  LoadedTensor loaded;
  loaded.inflated.reset(new (std::nothrow) std::byte[size]);
  Inflater inflater;
  if (!loaded.inflated || !inflater.start(packed)) {
    return fail(ErrorCode::io, fmt::format("no memory for {} bytes", size));
  }
  const std::span<std::byte> bytes(loaded.inflated.get(), size);
  if (inflater.read(bytes) != size || !inflater.finished()) {
    return fail(ErrorCode::io,
                fmt::format("is not the {} deflated bytes that the archive "
                            "promises",
                            size));
  }
  if (crc32_of(bytes) != member.checksum) {
    return fail(ErrorCode::io,
                "has another checksum (CRC-32) than the archive says");
  }
  loaded.bytes = bytes.subspan(static_cast<std::size_t>(member.header_bytes));
  return loaded;
}

// Pre: the file has not changed.
Result<LoadedTensor> load_member(MappedFile file,
                                 const Container::Member& member,
                                 bool compressed) {
  const auto offset = static_cast<std::size_t>(member.offset);
  const auto size = static_cast<std::size_t>(member.packed_bytes);
  if (compressed) {
    return inflate_member(file.bytes().subspan(offset, size), member);
  }
  if (checksum_of(file, member.offset, member.packed_bytes) !=
      member.checksum) {
    return fail(ErrorCode::io,
                "has another checksum (CRC-32) than the archive says");
  }
  const auto header = static_cast<std::size_t>(member.header_bytes);
  const auto bytes = file.bytes().subspan(offset + header, size - header);
  return LoadedTensor{bytes, std::move(file), nullptr};
}

}  // namespace

Result<Container> Container::open(const fs::path& path) {
  const std::optional<ContainerFormat> format = container_format(path);
  if (!format) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: is no file of several tensors by its name: "
                            ".safetensors, .index.json, .gguf or .npz",
                            path.string()));
  }
  const Result<MappedFile> file = MappedFile::open(path);
  if (!file) return unexpected(file.error());
  Result<Directory> directory = read_directory(*format, path, file->bytes());
  if (!directory) {
    directory.error().message =
        fmt::format("{}: {}", path.string(), directory.error().message);
    return unexpected(directory.error());
  }
  Container container;
  container.format_ = *format;
  container.tensors_ = std::move(directory->tensors);
  container.by_name_ = std::move(directory->by_name);
  container.members_ = std::move(directory->members);
  container.metadata_ = std::move(directory->metadata);
  if (*format == ContainerFormat::safetensors_index) {
    for (const fs::path& shard : directory->shards) {
      container.files_.push_back(path.parent_path() / shard);
    }
  } else {
    container.files_.push_back(path);
  }
  return container;
}

Result<const ContainedTensor*> Container::find(std::string_view name) const {
  const std::size_t k = position_of(name, tensors_, by_name_);
  if (k < tensors_.size()) return &tensors_[k];
  const std::string near = nearest(name, candidates(name, tensors_, by_name_));
  return fail(
      ErrorCode::unknown_name,
      fmt::format("no tensor {} among the {} of {}{}", quoted_name(name),
                  tensors_.size(),
                  files_.size() == 1 ? files_[0].string()
                                     : fmt::format("{} files", files_.size()),
                  near.empty()
                      ? ""
                      : fmt::format("; did you mean {}?", quoted_name(near))));
}

Result<LoadedTensor> Container::load(std::string_view name) const {
  const Result<const ContainedTensor*> found = find(name);
  if (!found) return unexpected(found.error());
  const ContainedTensor& tensor = **found;
  const fs::path& path = files_[static_cast<std::size_t>(tensor.file)];
  const auto refuse = [&](const Error& error) {
    return fail(error.code, fmt::format("{}: the tensor {}: {}", path.string(),
                                        quoted_name(name), error.message));
  };
  if (!tensor.refused.empty()) {
    return refuse({ErrorCode::unsupported, tensor.refused});
  }
  Result<MappedFile> file = MappedFile::open(path);
  if (!file) return unexpected(file.error());
  const auto offset = static_cast<std::size_t>(tensor.offset);
  const auto size = static_cast<std::size_t>(tensor.stored_bytes);
  if (offset + size > file->bytes().size()) {
    return refuse({ErrorCode::io, "the file has become shorter"});
  }
  if (members_.empty()) {
    const auto bytes = file->bytes().subspan(offset, size);
    return LoadedTensor{bytes, *std::move(file), nullptr};
  }
  const auto k = static_cast<std::size_t>(&tensor - tensors_.data());
  Result<LoadedTensor> loaded =
      load_member(*std::move(file), members_[k], tensor.compressed);
  if (!loaded) return refuse(loaded.error());
  return loaded;
}

}  // namespace stridewise
