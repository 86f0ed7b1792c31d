// The .npy format: a magic, a version, a Python dict as text, then the data.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "notation/cursor.hpp"
#include "stridewise/io.hpp"

namespace stridewise {
namespace {

constexpr std::string_view magic = "\x93NUMPY";
constexpr std::int64_t longest_header = 1 << 20;

unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::io, ".npy: " + std::move(message));
}

struct Descr {
  std::string_view name;
  std::string_view code;  // kind and bytes, as in '<f4'
};

constexpr auto descrs = std::to_array<Descr>({
    {"f16", "f2"},
    {"f32", "f4"},
    {"f64", "f8"},
    {"f128", "f16"},
    {"s8", "i1"},
    {"u8", "u1"},
    {"s16", "i2"},
    {"u16", "u2"},
    {"s32", "i4"},
    {"u32", "u4"},
    {"s64", "i8"},
    {"u64", "u8"},
    {"bool", "b1"},
    {"c64", "c8"},
    {"c128", "c16"},
    {"bf16", "u2"},
});

// The dict of a header: {'descr': '<f4', 'fortran_order': False, 'shape': (2,)}
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : cursor_(text), text_(text) {}

  Result<NpyHeader> run() {
    if (!cursor_.accept('{')) return bad("the header is not a dict");
    while (!cursor_.accept('}')) {
      const Result<std::string_view> key = quoted();
      if (!key) return unexpected(key.error());
      if (!cursor_.accept(':')) return bad("expected ':' after a key");
      Result<void> value = {};
      if (std::ranges::find(keys_, *key) != keys_.end()) {
        return bad(fmt::format("the key '{}' comes twice", *key));
      }
      keys_.push_back(*key);
      if (*key == "descr") {
        value = descr();
      } else if (*key == "fortran_order") {
        value = order();
      } else if (*key == "shape") {
        value = shape();
      } else {
        return bad(fmt::format("unknown key '{}'", *key));
      }
      if (!value) return unexpected(value.error());
      if (!cursor_.accept(',') && cursor_.peek() != '}') {
        return bad("expected ',' or '}'");
      }
    }
    if (keys_.size() != 3) {
      return bad("the header lacks descr, fortran_order or shape");
    }
    Checked bytes = header_.element_bytes;
    bool empty = false;
    for (const std::int64_t extent : header_.shape) {
      empty = empty || extent == 0;
      bytes = mul(bytes, std::max<std::int64_t>(extent, 1));
    }
    if (!bytes) return bad("the size of the shape overflows 64 bits");
    header_.data_bytes = empty ? 0 : *bytes;
    return header_;
  }

 private:
  Result<std::string_view> quoted() {
    const char quote = cursor_.peek();
    if (quote != '\'' && quote != '"') return bad("expected a quoted text");
    cursor_.accept(quote);
    const std::size_t begin = cursor_.position();
    const std::size_t end = text_.find(quote, begin);
    if (end == std::string_view::npos) return bad("a text without an end");
    cursor_.go_to(end + 1);
    return text_.substr(begin, end - begin);
  }

  Result<void> descr() {
    if (cursor_.peek() == '[') {
      return bad("structured dtypes hold more than one tensor; not supported");
    }
    const Result<std::string_view> text = quoted();
    if (!text) return unexpected(text.error());
    std::string_view code = *text;
    if (code.empty()) return bad("an empty dtype");
    if (std::string_view("<>|=").find(code[0]) != std::string_view::npos) {
      header_.big_endian = code[0] == '>';
      code.remove_prefix(1);
    }
    const auto known = std::ranges::find(descrs, code, &Descr::code);
    if (known != descrs.end()) {
      header_.type = *parse_element_type(known->name);
      header_.element_bytes = header_.type->bytes();
      header_.big_endian = header_.big_endian && header_.element_bytes > 1;
    } else if (code == "V1" || code == "V2" || code == "V4" || code == "V8" ||
               code == "V16" || code == "f1") {
      // ml_dtypes writes f8_e5m2 as f1 and its other types as V1.
      header_.element_bytes = *Cursor(code.substr(1)).number("bytes");
      header_.big_endian = false;
    } else {
      return bad(
          fmt::format("dtype '{}' is not a number of 1, 2, 4, 8 or 16 "
                      "bytes",
                      *text));
    }
    return {};
  }

  Result<void> order() {
    const std::string_view word = cursor_.name();
    if (word != "True" && word != "False") {
      return bad("fortran_order must be True or False");
    }
    header_.fortran_order = word == "True";
    return {};
  }

  Result<void> shape() {
    header_.shape.clear();
    if (!cursor_.accept('(')) return bad("the shape is not a tuple");
    while (!cursor_.accept(')')) {
      const Result<std::int64_t> extent = cursor_.number("an extent");
      if (!extent) return bad("the shape holds something else than extents");
      header_.shape.push_back(*extent);
      cursor_.accept('L');  // Python 2 wrote long integers so
      if (!cursor_.accept(',') && cursor_.peek() != ')') {
        return bad("the shape is not a tuple");
      }
    }
    return {};
  }

  Cursor cursor_;
  std::string_view text_;
  NpyHeader header_;
  std::vector<std::string_view> keys_;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()),
                              bytes.size());
  if (!text.starts_with(magic)) {
    return bad("the file does not begin as a NumPy array does");
  }
  const auto byte = [&](std::size_t k) {
    return std::to_integer<std::uint32_t>(bytes[k]);
  };
  if (bytes.size() < 10) return bad("truncated in its first bytes");
  const std::uint32_t version = byte(6);
  if (version < 1 || version > 3) {
    return bad(fmt::format("version {}.{} is not supported (1 to 3 are)",
                           version, byte(7)));
  }
  const std::size_t prefix = version == 1 ? 10 : 12;
  if (bytes.size() < prefix) return bad("truncated in its first bytes");
  std::int64_t length = byte(8) | byte(9) << 8;
  if (version > 1) {
    length |= static_cast<std::int64_t>(byte(10) << 16 | byte(11) << 24);
  }
  if (length > longest_header) {
    return bad(fmt::format("a header of {} bytes", length));
  }
  const std::size_t end = prefix + static_cast<std::size_t>(length);
  if (bytes.size() < end) return bad("truncated in its header");
  Result<NpyHeader> header =
      HeaderParser(text.substr(prefix, end - prefix)).run();
  if (header) header->data_offset = static_cast<std::int64_t>(end);
  return header;
}

ElementType array_type(const ElementType& type) {
  ElementType stored = type;
  if (type.is_integer() || type.kind == ElementKind::small_floating) {
    stored.bits = static_cast<std::int32_t>(
        std::max(8U, std::bit_ceil(static_cast<std::uint32_t>(type.bits))));
  }
  return stored;
}

namespace {

// Kind and bytes, as in '<f4'.
std::string code_of(const ElementType& type) {
  const auto known = std::ranges::find(descrs, type.name, &Descr::name);
  if (known != descrs.end()) return std::string(known->code);
  return fmt::format("{}{}",
                     type.kind == ElementKind::signed_integer ? 'i' : 'u',
                     type.bytes());
}

}  // namespace

std::string make_npy_header(const ElementType& type,
                            std::span<const std::int64_t> shape) {
  STRIDEWISE_EXPECTS(type == array_type(type),
                     "make_npy_header: a type as arrays hold it");
  std::string extents;
  for (const std::int64_t extent : shape) {
    extents += fmt::format("{}, ", extent);
  }
  if (shape.size() > 1) extents.resize(extents.size() - 2);
  std::string dict = fmt::format(
      "{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}), }}",
      type.bytes() == 1 ? '|' : '<', code_of(type), extents);
  const bool long_form = dict.size() + 64 > 0xffff;
  const std::size_t prefix = long_form ? 12 : 10;
  const std::size_t total = (prefix + dict.size() + 1 + 63) / 64 * 64;
  dict.resize(total - prefix - 1, ' ');
  dict += '\n';
  std::string header(magic);
  header += static_cast<char>(long_form ? 2 : 1);
  header += '\0';
  for (std::size_t k = 0; k < prefix - 8; ++k) {
    header += static_cast<char>(dict.size() >> (8 * k) & 0xff);
  }
  return header + dict;
}

namespace {

// The extents of a memory's digits, slowest first, where it is those and nothing else.
std::optional<std::vector<std::int64_t>> dense_digits(const Layout& layout) {
  const std::vector<LayoutPiece> pieces = layout.pieces();
  if (layout.tensors().size() != 1 || pieces.size() != 1 ||
      layout.tensors()[0].bitwise) {
    return std::nullopt;
  }
  std::vector<std::int64_t> extents;
  std::int64_t natural = layout.element_bits();
  bool dense = pieces[0].base_bits == 0;
  for (auto digit = pieces[0].digits.rbegin(); digit != pieces[0].digits.rend();
       ++digit) {
    dense = dense && (digit->extent <= 1 || digit->stride_bits == natural);
    const Checked next = mul(natural, digit->extent);
    dense = dense && next && *next <= layout.size_bits();
    natural = dense ? *next : 0;
    extents.push_back(digit->extent);
  }
  std::ranges::reverse(extents);
  if (layout.elements() == 0 || (dense && natural == layout.size_bits())) {
    return extents;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::int64_t> array_shape(const Layout& layout) {
  if (auto digits = dense_digits(layout)) return *std::move(digits);
  if (!layout.plain()) return {layout.places()};
  std::vector<std::int64_t> axes = {layout.axes().front().extent};
  for (std::size_t k = 0; k < layout.axes().size(); ++k) {
    const std::int64_t inner = k + 1 < layout.axes().size()
                                   ? layout.axes()[k + 1].pitch_bits
                                   : layout.element_bits();
    if (layout.axes()[k].pitch_bits % inner != 0) return {layout.places()};
    if (k + 1 < layout.axes().size()) {
      axes.push_back(layout.axes()[k].pitch_bits / inner);
    }
  }
  return axes;
}

}  // namespace stridewise
