// SPDX-License-Identifier: Apache-2.0
#include "sidecar.hpp"

#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <optional>

#include "catalogues.hpp"
#include "common.hpp"
#include "stridewise/container.hpp"

namespace stridewise::cli {

namespace fs = std::filesystem;

namespace {

// What a sidecar tells: two of these at least, and its file.
constexpr std::array<const char*, 3> told_keys = {"layout", "shape", "dtype"};
constexpr std::size_t longest_sidecar_bytes = 1 << 20;

// At most so many bytes of the file and one more; nullopt: it is gone. Ends the command
// where it cannot be read: what it says might be true.
std::optional<std::string> read_text(const fs::path& path) {
  const Result<MappedFile> opened = MappedFile::open(path);
  // Another command may remove it at any time.
  if (!opened && !value_of(file_exists(path))) return std::nullopt;
  if (!opened) throw Failure{opened.error()};
  const MappedFile& file = *opened;
  const auto bytes = file.bytes().first(
      std::min(file.bytes().size(), longest_sidecar_bytes + 1));
  std::string text(bytes.size(), '\0');
  std::ranges::copy(bytes, std::as_writable_bytes(std::span(text)).begin());
  return text;
}

// The object in a file of JSON; else nullopt, and `why` says what is wrong with it.
std::optional<Json> parse_sidecar(const std::string& text, std::string& why) {
  if (text.size() > longest_sidecar_bytes) {
    why = fmt::format("is longer than {} bytes", longest_sidecar_bytes);
    return std::nullopt;
  }
  std::string fault;
  std::optional<Json> json = Json::parse(text, &fault);
  if (!json) {
    why = "is no JSON: " + fault;
    return std::nullopt;
  }
  if (!json->is_object()) {
    why = "is no JSON object";
    return std::nullopt;
  }
  const auto has = [&](const char* key) { return json->find(key) != nullptr; };
  const bool enough = std::ranges::count_if(told_keys, has) >= 2;
  if (enough && has("file")) return json;
  const auto missing = std::ranges::find_if_not(told_keys, has);
  why = fmt::format("has no \"{}\"",
                    missing == told_keys.end() ? "file" : *missing);
  return std::nullopt;
}

// What the sidecar says of a key; empty: nothing.
std::string text_of(const fs::path& path, const Json& json, const char* key) {
  const Json* const value = json.find(key);
  if (value == nullptr) return "";
  if (auto text = value->text()) return *std::move(text);
  throw Failure{{ErrorCode::syntax,
                 fmt::format("{}: {} is no text", path.string(), key)}};
}

// Its shape: a text as --shape has it, or a list of extents.
std::string shape_of(const fs::path& path, const Json& json) {
  const Json* const shape = json.find("shape");
  if (shape == nullptr || shape->text()) return text_of(path, json, "shape");
  const auto extents = shape->integers();
  if (!extents) {
    throw Failure{
        {ErrorCode::syntax,
         path.string() + ": shape is no text and no list of extents"}};
  }
  return fmt::format("{}", fmt::join(*extents, "x"));
}

// The sidecar that names `file`. nullopt: there is none; where there is a file of
// that name, `why` says what is wrong with it.
std::optional<Json> read_sidecar(const fs::path& file, std::string& why) {
  const fs::path path = sidecar_of(file);
  if (!value_of(file_exists(path))) return std::nullopt;
  std::error_code unknown;
  const fs::file_status status = fs::status(path, unknown);
  if (status.type() == fs::file_type::none) {
    throw Failure{{ErrorCode::io, path.string() + ": " + unknown.message()}};
  }
  if (!fs::is_regular_file(status)) return std::nullopt;
  const std::optional<std::string> text = read_text(path);
  if (!text) return std::nullopt;
  std::optional<Json> json = parse_sidecar(*text, why);
  if (!json) return std::nullopt;
  const std::optional<std::string> named = json->find("file")->text();
  if (named == file.filename().string()) return json;
  why = named ? fmt::format("is the sidecar of {}, not of {}", *named,
                            file.string())
              : "has a \"file\" that is no text";
  return std::nullopt;
}

// Which file a name stands for, and when that was written last.
std::string identity_of(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {} {}.{}", status.st_dev, status.st_ino,
                     status.st_size, status.st_mtim.tv_sec,
                     status.st_mtim.tv_nsec);
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return value_of(is_same_file(a, b)) ||
         fs::absolute(a, ignored).lexically_normal() ==
             fs::absolute(b, ignored).lexically_normal();
}

[[noreturn]] void refuse_other_bytes(const fs::path& file, const char* what,
                                     const std::string& recorded,
                                     const std::string& found) {
  throw Failure{
      {ErrorCode::mismatch,
       fmt::format("{0} is of other bytes than {1} holds: its {2} is {3}, that "
                   "of {1} {4}; give the layout, --shape and --dtype, or "
                   "remove {0}",
                   sidecar_of(file).string(), file.string(), what, recorded,
                   found)}};
}

// Ends the command where the sidecar has a size or a hash, and the file another.
void verify(const fs::path& file, const Json& json) {
  const Json* const size = json.find("size_bytes");
  const Json* const hash = json.find("xxh128");
  if (size == nullptr && hash == nullptr) return;
  // Without the file, its own error is told when it is opened.
  const Result<MappedFile> mapped = MappedFile::open(file);
  if (!mapped) return;
  const auto found_size = std::to_string(mapped->bytes().size());
  if (size != nullptr && size->line() != found_size) {
    refuse_other_bytes(file, "size_bytes", size->line(), found_size);
  }
  if (hash == nullptr) return;
  const std::string found_hash = fingerprint_of(mapped->bytes()).xxh128;
  const std::string recorded = hash->text().value_or(hash->line());
  if (recorded != found_hash) {
    refuse_other_bytes(file, "xxh128", recorded, found_hash);
  }
}

// Takes away what the header of an array says otherwise.
void prefer_header(const fs::path& file, Sidecar& sidecar) {
  const Result<TensorFile> tensor = open_tensor(file);
  if (!tensor || !tensor->npy) return;
  const Result<ElementType> type = parse_element_type(sidecar.dtype);
  if (type && !type_of(*tensor, *type)) sidecar.dtype.clear();
  std::vector<std::string> dims;
  if (const Result<Shape> shape = parse_shape(sidecar.shape)) {
    dims = names_of(*shape);
  }
  const Result<LayoutSource> layout =
      resolve_layout(sidecar.layout, dims, known_layouts());
  if (!layout) return;
  if (const Result<Shape> told = shape_of_array(*tensor, *layout)) {
    sidecar.shape = print(*told);
  }
}

}  // namespace

fs::path sidecar_of(const fs::path& file) {
  fs::path name = file;
  return name.replace_extension(".json");
}

Sidecar sidecar_for(const fs::path& file) {
  if (is_container(split_container_path(file.native()).file)) {
    // The file tells itself; what is wrong with it is told when it is opened.
    const Result<TensorFile> tensor = open_tensor(file);
    if (!tensor) return {};
    return {tensor->told.layout, tensor->told.shape, tensor->told.dtype};
  }
  std::string ignored;
  const std::optional<Json> json = read_sidecar(file, ignored);
  if (!json) return {};
  verify(file, *json);
  const fs::path path = sidecar_of(file);
  Sidecar sidecar{text_of(path, *json, "layout"), shape_of(path, *json),
                  text_of(path, *json, "dtype")};
  prefer_header(file, sidecar);
  return sidecar;
}

void use_sidecar(const fs::path& file, std::string& layout, std::string& shape,
                 std::string& dtype) {
  if (!layout.empty() && !shape.empty() && !dtype.empty()) return;
  Sidecar sidecar = sidecar_for(file);
  if (layout.empty()) layout = std::move(sidecar.layout);
  if (shape.empty()) shape = std::move(sidecar.shape);
  if (dtype.empty()) dtype = std::move(sidecar.dtype);
}

void need(const std::string& value, const std::string& option,
          const fs::path& file) {
  if (!value.empty()) return;
  std::string why;
  if (read_sidecar(file, why)) why = "does not tell it";
  throw Failure{{ErrorCode::mismatch,
                 why.empty()
                     ? option + " is needed: there is no sidecar that tells it"
                     : fmt::format("{} is needed: the sidecar {} {}", option,
                                   sidecar_of(file).string(), why)}};
}

void need_shape(const std::string& shape, std::span<const LayoutSource> layouts,
                const fs::path& file) {
  const bool has_dims = std::ranges::any_of(
      layouts, [](const auto& layout) { return !dims_of(layout).empty(); });
  if (has_dims) need(shape, "--shape", file);
}

Unchanged::Unchanged(fs::path file)
    : file_(split_container_path(file.native()).file),
      identity_(identity_of(file_)) {}

Result<void> Unchanged::check() const {
  if (identity_of(file_) == identity_) return {};
  return fail(ErrorCode::io, file_.string() + ": changed while it was read");
}

Fingerprint fingerprint_of(std::span<const std::byte> bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {static_cast<std::int64_t>(bytes.size()),
          fmt::format("{:016x}{:016x}", hash.high64, hash.low64)};
}

void check_sidecar(const fs::path& in, const fs::path& out) {
  if (split_container_path(out.native()).name) {
    throw Failure{{ErrorCode::invalid_value,
                   out.string() + ": tells its layout itself, without a "
                                  "sidecar"}};
  }
  const fs::path path = sidecar_of(out);
  const auto refuse = [&](const std::string& why) {
    throw Failure{{ErrorCode::io,
                   fmt::format("{}: {}, and OUT's sidecar does not replace it; "
                               "give OUT another name",
                               path.string(), why)}};
  };
  if (one_line(out.filename().string()) != out.filename().string()) {
    throw Failure{{ErrorCode::invalid_value,
                   out.string() + ": a sidecar cannot say this name"}};
  }
  if (same_file(path, in)) refuse("is IN");
  if (same_file(path, out)) refuse("is OUT");
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  std::string why = "is no file";
  if (read_sidecar(out, why) ||
      !fs::exists(fs::symlink_status(path, ignored))) {
    return;
  }
  const bool beside_in = same_file(path, sidecar_of(in));
  refuse((beside_in ? "may be the sidecar of IN, and is none of OUT: it "
                    : "is no sidecar of OUT: it ") +
         why);
}

Result<void> remove_sidecars(const fs::path& out) {
  if (split_container_path(out.native()).name) return {};
  std::error_code error;
  std::array<fs::path, 2> names = {out, fs::canonical(out, error)};
  if (error && error != std::errc::no_such_file_or_directory) {
    return fail(ErrorCode::io, out.string() + ": " + error.message());
  }
  if (names[1] == names[0]) names[1].clear();
  for (const fs::path& name : names) {
    std::string why;
    if (name.empty() || !read_sidecar(name, why)) continue;
    const fs::path path = sidecar_of(name);
    if (same_file(path, out)) continue;
    if (!fs::remove(path, error) && error) {
      return fail(ErrorCode::io,
                  fmt::format("{}: cannot be removed, and describes what {} "
                              "is no more: {}",
                              path.string(), out.string(), error.message()));
    }
  }
  return {};
}

Result<OutputFile> make_sidecar(const fs::path& file, const Sidecar& sidecar,
                                const Fingerprint& fingerprint) {
  const Json json = {{"layout", sidecar.layout},
                     {"shape", sidecar.shape},
                     {"dtype", sidecar.dtype},
                     {"file", file.filename().string()},
                     {"size_bytes", fingerprint.size_bytes},
                     {"xxh128", fingerprint.xxh128}};
  const std::string text = json.lines() + "\n";
  Result<OutputFile> output = OutputFile::create(
      sidecar_of(file), static_cast<std::int64_t>(text.size()));
  if (output) {
    std::ranges::copy(std::as_bytes(std::span(text)), output->bytes().data());
  }
  return output;
}

}  // namespace stridewise::cli
