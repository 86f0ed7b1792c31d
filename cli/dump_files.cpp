// SPDX-License-Identifier: Apache-2.0
#include "dump_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>

#include "write_file.hpp"

namespace stridewise::cli {

namespace fs = std::filesystem;

TensorShape tensor_shape(const std::string& text) {
  if (text.find('=') != std::string::npos) return {value_of(parse_shape(text))};
  const auto extents = static_cast<std::size_t>(
      1 + std::count_if(text.begin(), text.end(),
                        [](char c) { return c == 'x' || c == ','; }));
  constexpr std::array<std::string_view, 6> families = {"",    "x",    "nc",
                                                        "ncw", "nchw", "ncdhw"};
  const std::string_view letters = extents < families.size()
                                       ? families[extents]
                                       : "abcdefghijklmnopqrstuvwxyz";
  std::vector<std::string> dims;
  for (std::size_t d = 0; d < std::min(extents, letters.size()); ++d) {
    dims.emplace_back(1, letters[d]);
  }
  return {value_of(parse_shape(text, dims)), true};
}

fs::path series_name(const fs::path& path, int k) {
  fs::path name = path;
  return name.replace_extension(
      fmt::format(".{}{}", k, path.extension().string()));
}

namespace {

// "x.0.npy", "x.1.npy" ..., or "x.npy.0", "x.npy.1" ...
std::vector<fs::path> series_of(const fs::path& path) {
  const auto all = [](auto name) {
    std::vector<fs::path> files;
    std::error_code ignored;
    for (int k = 0; fs::exists(name(k), ignored); ++k) files.push_back(name(k));
    return files;
  };
  std::vector<fs::path> files =
      all([&](int k) { return series_name(path, k); });
  if (!files.empty()) return files;
  return all([&](int k) -> fs::path {
    return fmt::format("{}.{}", path.string(), k);
  });
}

}  // namespace

std::vector<fs::path> files_of(const fs::path& path) {
  std::error_code ignored;
  std::vector<fs::path> series = series_of(path);
  // Without either, the file's error is told when it is opened.
  if (series.empty()) return {path};
  // What was written last is meant: the other one is of an earlier try.
  const bool older = fs::exists(path, ignored) &&
                     fs::last_write_time(path, ignored) >=
                         fs::last_write_time(series.front(), ignored);
  return older ? std::vector{path} : series;
}

void date_after(const fs::path& path, const fs::path& other) {
  std::error_code error;
  const fs::file_time_type theirs = fs::last_write_time(other, error);
  if (error) return;
  // The longer step is for file systems that count seconds, or two.
  const std::array<fs::file_time_type::duration, 2> steps = {
      std::chrono::nanoseconds(1), std::chrono::seconds(2)};
  for (const auto step : steps) {
    if (fs::last_write_time(path, error) > theirs) return;
    fs::last_write_time(path, theirs + step, error);
  }
}

fs::path sidecar_of(const fs::path& file) {
  fs::path name = file;
  return name.replace_extension(".json");
}

namespace {

constexpr std::array<const char*, 3> sidecar_keys = {"layout", "shape",
                                                     "dtype"};

// A sidecar's object; nullopt: no such file, or JSON of somebody else, and then
// `why` says what is wrong with it.
std::optional<Json> read_sidecar(const fs::path& path,
                                 std::string* why = nullptr) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return std::nullopt;
  std::ifstream stream(path);
  std::string reason;
  Json json;
  try {
    json = Json::parse(stream);
    if (!json.is_object()) {
      reason = "is no JSON object";
    } else {
      const auto missing = std::ranges::find_if(
          sidecar_keys, [&](const char* key) { return !json.contains(key); });
      if (missing != sidecar_keys.end()) {
        reason = fmt::format("has no \"{}\"", *missing);
      }
    }
  } catch (const Json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string_view message = error.what();
    const std::size_t end = message.find("] ");
    reason = "is no JSON: ";
    reason += message.substr(end == std::string_view::npos ? 0 : end + 2);
  }
  if (why != nullptr) *why = reason;
  if (!reason.empty()) return std::nullopt;
  return json;
}

std::string text_of(const fs::path& path, const Json& json, const char* key) {
  if (!json.contains(key)) return "";
  if (!json[key].is_string()) {
    throw Failure{{ErrorCode::syntax,
                   fmt::format("{}: {} is no text", path.string(), key)}};
  }
  return json[key].get<std::string>();
}

// The file that a sidecar names, where that is another one; else empty.
std::string tells_of_another(const fs::path& path, const Json& json,
                             const fs::path& file) {
  const std::string named = text_of(path, json, "file");
  return named == file.filename().string() ? "" : named;
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code ignored;
  return fs::equivalent(a, b, ignored) ||
         fs::absolute(a, ignored).lexically_normal() ==
             fs::absolute(b, ignored).lexically_normal();
}

}  // namespace

Sidecar sidecar_for(const fs::path& file) {
  const fs::path path = sidecar_of(file);
  const std::optional<Json> json = read_sidecar(path);
  if (!json || !tells_of_another(path, *json, file).empty()) return {};
  return {text_of(path, *json, "layout"), text_of(path, *json, "shape"),
          text_of(path, *json, "dtype")};
}

void use_sidecar(const fs::path& file, std::string& layout, std::string& shape,
                 std::string& dtype) {
  if (!layout.empty() && !shape.empty() && !dtype.empty()) return;
  Sidecar sidecar = sidecar_for(file);
  if (layout.empty()) layout = std::move(sidecar.layout);
  if (shape.empty()) shape = std::move(sidecar.shape);
  if (dtype.empty()) dtype = std::move(sidecar.dtype);
}

void check_sidecar(const fs::path& in, const fs::path& out) {
  const fs::path path = sidecar_of(out);
  const auto refuse = [&](const std::string& why) {
    throw Failure{{ErrorCode::io,
                   fmt::format("{}: {}, and OUT's sidecar does not replace it; "
                               "give OUT another name",
                               path.string(), why)}};
  };
  if (same_file(path, in)) refuse("is IN");
  if (same_file(path, out)) refuse("is OUT");
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  const std::optional<Json> json = read_sidecar(path);
  if (!json) refuse("is no sidecar");
  const std::string other = tells_of_another(path, *json, out);
  if (!other.empty()) refuse("is the sidecar of " + other);
  if (!json->contains("file") && same_file(path, sidecar_of(in))) {
    refuse("is the sidecar of IN");
  }
}

void write_sidecar(const fs::path& file, const std::string& layout,
                   const std::string& shape, const std::string& dtype) {
  const std::string text = dump({{"layout", layout},
                                 {"shape", shape},
                                 {"dtype", dtype},
                                 {"file", file.filename().string()}});
  write_file(sidecar_of(file), text);
}

void need(const std::string& value, const std::string& option,
          const fs::path& file) {
  if (!value.empty()) return;
  const fs::path path = sidecar_of(file);
  std::string why;
  const std::optional<Json> json = read_sidecar(path, &why);
  const std::string other = json ? tells_of_another(path, *json, file) : "";
  if (!other.empty()) {
    why = fmt::format("is the sidecar of {}, not of {}", other, file.string());
  }
  throw Failure{{ErrorCode::mismatch,
                 why.empty()
                     ? option + " is needed: there is no sidecar that tells it"
                     : fmt::format("{} is needed: the sidecar {} {}", option,
                                   path.string(), why)}};
}

std::optional<ElementType> dtype_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return value_of(parse_element_type(text));
}

std::string print_dims(std::span<const std::string> dims) {
  return fmt::format("{}", fmt::join(dims, " "));
}

std::string print_dims(const Shape& shape) {
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.name);
  return print_dims(dims);
}

std::string print_extents(std::span<const std::int64_t> extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

void check_array(const TensorFile& file, const Shape& shape,
                 const Layout* layout) {
  if (!file.npy) return;
  const std::string name = file.path.string();
  const std::vector<std::int64_t>& has = file.npy->shape;
  const bool flat = has.size() < 2;
  if (file.npy->big_endian || (file.npy->fortran_order && !flat)) {
    throw Failure{
        {ErrorCode::unsupported,
         fmt::format("{}: an array in {}; save it in C order and little "
                     "endian, or convert it first",
                     name,
                     file.npy->big_endian ? "big-endian byte order"
                                          : "Fortran order")}};
  }
  std::vector<std::int64_t> extents;
  for (const Dim& dim : shape) extents.push_back(dim.extent);
  if (flat || has == extents) return;
  std::string wanted = print_extents(extents);
  if (layout != nullptr) {
    const std::vector<std::int64_t> digits = array_shape(*layout);
    if (has == digits) return;
    if (digits != extents) {
      wanted += " or, as its layout's digits, " + print_extents(digits);
    }
  }
  throw Failure{{ErrorCode::mismatch,
                 fmt::format("{}: an array of {}, not of {}; give the layout "
                             "and --shape of this array, or reshape it",
                             name, print_extents(has), wanted)}};
}

std::vector<ByteRange> holes_of(const TensorFile& file) {
  constexpr std::size_t most = 1 << 16;
  std::vector<ByteRange> holes;
  const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return holes;
  const std::int64_t begin = file.npy ? file.npy->data_offset : 0;
  const auto size = static_cast<std::int64_t>(file.file.bytes().size());
  for (std::int64_t at = begin; at < size && holes.size() < most;) {
    const std::int64_t hole = ::lseek(descriptor, at, SEEK_HOLE);
    if (hole < 0 || hole >= size) break;
    const std::int64_t data = ::lseek(descriptor, hole, SEEK_DATA);
    at = data < 0 ? size : data;
    holes.push_back({hole - begin, at - begin});
  }
  ::close(descriptor);
  return holes;
}

void forget(const TensorFile& file, std::int64_t first, std::int64_t count) {
  const std::int64_t header = file.npy ? file.npy->data_offset : 0;
  file.file.forget(header + first, count);
}

void turn_signals_into_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, [](int) {
    constexpr std::string_view message =
        "stridewise: a file changed its size while it was read\n";
    [[maybe_unused]] const auto written =
        ::write(2, message.data(), message.size());
    ::_exit(exit_bad_input);
  });
}

}  // namespace stridewise::cli
