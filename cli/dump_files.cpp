// SPDX-License-Identifier: Apache-2.0
#include "dump_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>
#include <cstring>

#include "layout_options.hpp"

namespace stridewise::cli {

namespace fs = std::filesystem;

TensorShape tensor_shape(const std::string& text) {
  if (text.empty()) return {{}, true};
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

std::string assumed_dims(const TensorShape& shape) {
  const Shape& dims = shape.shape;
  if (!shape.positional || dims.size() < 3 || dims.size() > 5) return "";
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name);
  // The same extents, where channels come last.
  std::vector<std::string> last = {"n", "h", "w", "c"};
  if (dims.size() == 3) last = {"h", "w", "c"};
  if (dims.size() == 5) last = {"n", "d", "h", "w", "c"};
  std::string letters;
  std::string other;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    letters += static_cast<char>(
        std::toupper(static_cast<unsigned char>(last[d].front())));
    other += fmt::format("{}{}={}", d == 0 ? "" : ",", last[d], dims[d].extent);
  }
  return fmt::format(
      "the golden's dims are {}; {} {} golden: --shape {}",
      fmt::join(names, ", "),
      letters.front() == 'H' || letters.front() == 'N' ? "an" : "a", letters,
      other);
}

Shape shape_in_files(const std::string& text,
                     std::span<const LayoutSource> layouts,
                     std::initializer_list<StoredTensor> stored) {
  ShapeReadings readings = value_of(read_shape(text, layouts));
  if (!readings.spelled) return std::move(readings.logical);
  for (const StoredTensor& tensor : stored) {
    if (!tensor.file.npy) continue;
    const Result<Shape> told = shape_of_array(tensor.file, tensor.layout);
    if (!told) continue;
    if (std::ranges::is_permutation(*told, readings.logical)) {
      return std::move(readings.logical);
    }
    if (std::ranges::is_permutation(*told, *readings.spelled)) {
      // The same extents, in logical order.
      return value_of(
          parse_shape(print(*readings.spelled), names_of(readings.logical)));
    }
  }
  return value_of(shape_of(text, layouts));
}

std::optional<Shape> shape_in_order(const LayoutSource& layout,
                                    std::span<const std::int64_t> extents) {
  const std::vector<std::string> dims = dims_of(layout);
  if (dims.size() != extents.size()) return std::nullopt;
  Shape shape;
  for (std::size_t d = 0; d < dims.size(); ++d) {
    shape.push_back({dims[d], extents[d]});
  }
  return shape;
}

void PartOptions::add_to(Command command) {
  command.add_option("--part,-p", part, "a part of the memory, by name");
  command
      .add_option("--table", tables,
                  "entries of a table of a layout: T=7,2,5 or T=FILE.npy")
      .one_word_each();
}

BoundTensor bind_tensor(const TensorFile& file, const LayoutSource& source,
                        const Shape& shape, const std::string& dtype,
                        const PartOptions& options) {
  const bool parts = !source.expression.parts().empty();
  const std::optional<ElementType> asked = dtype_of(dtype);
  const bool told = asked || file.npy;
  // What parts that name their types leave open means nothing.
  const ElementType type =
      parts ? asked.value_or(value_of(parse_element_type("u8")))
            : value_of(type_of(file, asked));
  const ElementType stored = file.npy && !parts ? array_type(type) : type;
  Layout layout = value_of(source.bind(
      shape,
      Binding{.element_bits = stored.bits,
              .tables = read_tables(options.tables, source.expression)}));
  if (!options.part.empty()) layout = value_of(layout.part(options.part));
  if (layout.unreadable()) {
    Error error = *layout.unreadable();
    if (layout.tensor() < 0) error.message += " with --part NAME";
    throw Failure{std::move(error)};
  }
  const std::string& named =
      layout.tensors()[static_cast<std::size_t>(layout.tensor())].type;
  if (parts && named.empty() && !told) {
    throw Failure{
        {ErrorCode::mismatch,
         file.path.string() + ": a part that names no type needs --dtype"}};
  }
  return {layout, named.empty() ? stored : value_of(parse_element_type(named))};
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
    for (int k = 0; value_of(file_exists(name(k))); ++k) {
      files.push_back(name(k));
    }
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
  const bool older = value_of(file_exists(path)) &&
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

std::optional<ElementType> dtype_of(const std::string& text) {
  if (text.empty()) return std::nullopt;
  return value_of(parse_element_type(text));
}

std::string print_dims(std::span<const std::string> dims) {
  return dims.empty() ? "-" : fmt::format("{}", fmt::join(dims, " "));
}

std::string print_dims(const Shape& shape) {
  return print_dims(names_of(shape));
}

std::string print_extents(std::span<const std::int64_t> extents) {
  return fmt::format("{}", fmt::join(extents, "x"));
}

void check_array(const TensorFile& file, const Shape& shape,
                 const Layout* layout) {
  if (!file.npy) return;
  const std::string name = file.path.string();
  const std::vector<std::int64_t>& has = file.npy->shape;
  // An array of what has no digits is bare memory, or the tensor itself.
  if (layout != nullptr && !layout->plain()) layout = nullptr;
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
  std::string wanted = print_extents(extents);
  if (flat || (layout == nullptr && has == extents)) return;
  if (layout != nullptr) {
    const std::vector<std::int64_t> digits = array_shape(*layout);
    if (has == digits) return;
    // Blocks in an array of the tensor's extents: bare memory of the right size.
    std::vector<std::int64_t> sorted = digits;
    std::vector<std::int64_t> dims = extents;
    std::ranges::sort(sorted);
    std::ranges::sort(dims);
    if (has == extents && sorted != dims) return;
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
  if (file.memory) return holes;
  const int descriptor = ::open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return holes;
  const std::int64_t begin = file.data_offset;
  const std::int64_t size = begin + file.data_bytes;
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
  if (!file.memory) file.file.forget(file.data_offset + first, count);
}

TensorFile open_dump(const fs::path& path) {
  return value_of(in_native_order(value_of(open_tensor(path))));
}

void add_byte_order(Command command, std::string& byte_order) {
  command
      .add_option("--byte-order", byte_order,
                  "of raw files: little (the default) or big")
      .check([](const std::string& text) {
        return text == "little" || text == "big"
                   ? ""
                   : fmt::format("'{}' is neither little nor big", text);
      });
}

void swap_raw(TensorFile& file, const std::string& byte_order,
              const ElementType& type, const WindowOptions& window) {
  const std::int64_t width = type.kind == ElementKind::complex_floating
                                 ? type.bytes() / 2
                                 : type.bytes();
  if (byte_order != "big" || file.npy || width == 1) return;
  // The memory begins after bytes of something else, or within an element.
  const std::int64_t start = window.start_byte().value_or(0);
  file = value_of(with_bytes_reversed(
      std::move(file), width,
      start < 0 ? -start : (width - start % width) % width));
}

}  // namespace stridewise::cli
