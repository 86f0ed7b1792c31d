// CuTe's layouts: a tuple of sizes, a tuple of strides of the same form, perhaps a
// swizzle of the place: CUTLASS media/docs/cpp/cute/01_layout.md. The elements of the
// outer tuple are dims; within one, the first is the fastest digit.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cstdlib>

#include "base/checked.hpp"
#include "dialects/read.hpp"
#include "notation/cursor.hpp"

namespace stridewise::dialects {
namespace {

constexpr std::array<std::string_view, 3> swizzle_marks = {"Sw<", "Swizzle<",
                                                           "S<"};
// What a tensor's text begins with: its pointer, which tells the bits of an element.
constexpr std::array<std::string_view, 5> pointer_marks = {
    "smem_ptr[", "gmem_ptr[", "rmem_ptr[", "tmem_ptr[", "ptr["};
constexpr int max_depth = 32;
constexpr std::size_t max_dims = 26;

struct Tuple {
  std::int64_t value = 0;
  std::vector<Tuple> elements;  // not empty: no value
};

bool is_cute(std::string_view text) {
  const auto begins = [&](std::string_view mark) {
    return text.starts_with(mark);
  };
  if (std::ranges::any_of(swizzle_marks, begins) ||
      std::ranges::any_of(pointer_marks, begins)) {
    return true;
  }
  return text.find(':') != std::string_view::npos &&
         text.find_first_not_of("0123456789_,:() -") == std::string_view::npos;
}

class CuteReader {
 public:
  CuteReader(std::string_view text, KnownDims known)
      : cursor_(text), known_(known) {}

  Result<DialectText> run() {
    // Before the swizzle or behind it: "Sw<3,4,3> o smem_ptr[16b](unset) o ...".
    if (auto read = read_pointer(); !read) return unexpected(read.error());
    if (auto read = read_swizzle(); !read) return unexpected(read.error());
    const Result<Tuple> sizes = tuple(0);
    if (!sizes) return unexpected(sizes.error());
    if (!cursor_.accept(':')) {
      return cursor_.error("expected ':' and the strides");
    }
    const std::size_t at = cursor_.position();
    strides_ = true;
    const Result<Tuple> strides = tuple(0);
    if (!strides) return unexpected(strides.error());
    if (!cursor_.at_end()) return cursor_.error("expected the end");
    const bool one = sizes->elements.empty();
    const std::size_t rank = one ? 1 : sizes->elements.size();
    if (rank > max_dims) {
      return cursor_.error_at(0, ErrorCode::unsupported,
                              fmt::format("more than {} dims", max_dims));
    }
    DialectText made = of_rank(rank, known_);
    for (std::size_t d = 0; d < rank; ++d) {
      dim_ = made.dims[d];
      extent_ = 1;
      const bool same_form =
          one ? add_leaves(*sizes, *strides)
              : strides->elements.size() == rank &&
                    add_leaves(sizes->elements[d], strides->elements[d]);
      if (!same_form) {
        return cursor_.error_at(
            at, ErrorCode::mismatch,
            "the strides must have the form of the sizes, and fit in 64 bits");
      }
      if (leaves_.empty() || leaves_.back().dim != dim_) {
        leaves_.push_back({dim_, 1, 0, 1, 1});
      }
      leaves_.back().mod = 0;  // what is left of the dim
      made.extents.push_back(extent_);
    }
    made.element_bits = element_bits_;
    Result<std::vector<Term>> terms = swizzled(leaves_, swizzle_);
    if (!terms) return unexpected(terms.error());
    made.expression = memory_of(*std::move(terms));
    return made;
  }

 private:
  // "smem_ptr[16b](0x7f00) o"; false: there is none.
  Result<bool> read_pointer() {
    const auto mark = std::ranges::find_if(
        pointer_marks,
        [&](std::string_view begin) { return cursor_.accept(begin); });
    if (mark == pointer_marks.end()) return false;
    const Result<std::int64_t> bits = cursor_.number("the bits of an element");
    if (!bits) return unexpected(bits.error());
    if (*bits < 1 || *bits > 128) {
      return cursor_.error("an element has 1 to 128 bits");
    }
    element_bits_ = *bits;
    if (!cursor_.accept("b]") || !cursor_.accept('(')) {
      return cursor_.error("expected b] and an address: smem_ptr[16b](unset)");
    }
    if (auto read = read_address(); !read) return unexpected(read.error());
    if (!cursor_.accept(')') || !cursor_.accept('o')) {
      return cursor_.error("expected ') o' and a layout");
    }
    return true;
  }

  // "0x7f00" or "unset".
  Result<void> read_address() {
    const std::size_t at = cursor_.position();
    std::string text;
    if (cursor_.at_number()) {
      const Result<std::int64_t> digits = cursor_.number("an address");
      if (!digits) return unexpected(digits.error());
      text = std::to_string(*digits);
    }
    text += cursor_.name();
    if (text == "unset") return {};
    std::string_view digits = text;
    const bool hexadecimal = digits.starts_with("0x");
    if (hexadecimal) digits.remove_prefix(2);
    const auto [end, fault] =
        std::from_chars(digits.data(), digits.data() + digits.size(), address_,
                        hexadecimal ? 16 : 10);
    if (fault == std::errc() && end == digits.data() + digits.size()) return {};
    return cursor_.error_at(at, ErrorCode::syntax,
                            "expected an address such as 0x7f00, or unset");
  }

  // "Sw<3,4,3> o", and "o _0 o" or a pointer behind it: then the bits are those of an
  // address, in bytes.
  Result<void> read_swizzle() {
    const bool swizzles = std::ranges::any_of(
        swizzle_marks,
        [&](std::string_view begin) { return cursor_.accept(begin); });
    if (!swizzles) return {};
    for (std::int64_t* number :
         {&swizzle_.bits, &swizzle_.base, &swizzle_.shift}) {
      const bool negative = number == &swizzle_.shift && cursor_.accept('-');
      const Result<std::int64_t> read = cursor_.number("a number of bits");
      if (!read) return unexpected(read.error());
      if (*read > 62) return cursor_.error("a place has up to 62 bits");
      *number = negative ? -*read : *read;
      if (!cursor_.accept(number == &swizzle_.shift ? '>' : ',')) {
        return cursor_.error("expected three numbers: Sw<3,4,3>");
      }
    }
    if (!cursor_.accept('_') && !cursor_.accept('o')) {
      return cursor_.error(
          "expected 'o' and a layout: Sw<3,4,3> o (8,64):(64,1)");
    }
    const std::size_t at = cursor_.position();
    const Result<bool> pointer = read_pointer();
    if (!pointer) return unexpected(pointer.error());
    if (*pointer) return count_in_elements(at);
    return read_offset();
  }

  // "_0 o" or "0 o": where the layout's memory begins.
  Result<void> read_offset() {
    const std::size_t at = cursor_.position();
    cursor_.accept('_');
    if (!cursor_.at_number()) {
      cursor_.go_to(at);
      return {};
    }
    const Result<std::int64_t> offset = cursor_.number("an offset");
    if (!offset) return unexpected(offset.error());
    if (!cursor_.accept('o')) {
      cursor_.go_to(at);
      return {};
    }
    if (*offset == 0) return {};
    return cursor_.error_at(at, ErrorCode::unsupported,
                            "an offset below a swizzle other than 0");
  }

  Result<void> count_in_elements(std::size_t at) {
    const auto bits = static_cast<std::uint64_t>(element_bits_);
    const std::int64_t base = swizzle_.base + 3 - std::countr_zero(bits);
    if (!std::has_single_bit(bits) || base < 0) {
      return cursor_.error_at(
          at, ErrorCode::unsupported,
          fmt::format("a swizzle from bit {} of the address on, which is "
                      "within an element of {} bits",
                      swizzle_.base, bits));
    }
    const std::int64_t end =
        swizzle_.base + std::abs(swizzle_.shift) + swizzle_.bits;
    if (end < 64 && (address_ & ((std::uint64_t{1} << end) - 1)) != 0) {
      return cursor_.error_at(
          at, ErrorCode::unsupported,
          fmt::format("an address that is no multiple of {} bytes, which the "
                      "swizzle repeats after",
                      std::uint64_t{1} << end));
    }
    swizzle_.base = base;
    return {};
  }

  // NOLINTNEXTLINE(misc-no-recursion): bounded by max_depth
  Result<Tuple> tuple(int depth) {
    if (depth > max_depth) return cursor_.error("tuples nest too deeply");
    Tuple made;
    if (!cursor_.accept('(')) {
      cursor_.accept('_');
      if (cursor_.peek() == '-') {
        return cursor_.error("a size or stride that is negative");
      }
      const std::size_t at = cursor_.position();
      const Result<std::int64_t> number = cursor_.number("a size or stride");
      if (number && *number == 0 && !strides_) {
        return cursor_.error_at(at, ErrorCode::invalid_value,
                                "a size is 1 or more");
      }
      if (!number) return unexpected(number.error());
      made.value = *number;
      return made;
    }
    do {
      const bool last = !made.elements.empty() && cursor_.peek() == ')';
      if (last) break;  // "(4,)"
      Result<Tuple> element = tuple(depth + 1);
      if (!element) return element;
      made.elements.push_back(*std::move(element));
    } while (cursor_.accept(','));
    if (!cursor_.accept(')')) return cursor_.error("expected ',' or ')'");
    return made;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the tuples
  bool add_leaves(const Tuple& size, const Tuple& stride) {
    if (size.elements.size() != stride.elements.size()) return false;
    for (std::size_t k = 0; k < size.elements.size(); ++k) {
      if (!add_leaves(size.elements[k], stride.elements[k])) return false;
    }
    if (!size.elements.empty()) return true;
    const Checked extent = mul(extent_, size.value);
    if (!extent || size.value < 1 || !mul(size.value, stride.value)) {
      return false;
    }
    if (size.value > 1) {
      leaves_.push_back({dim_, extent_, size.value, size.value, stride.value});
    }
    extent_ = *extent;
    return true;
  }

  Cursor cursor_;
  KnownDims known_;
  Swizzle swizzle_;
  std::int64_t element_bits_ = 0;  // 0: not told
  std::uint64_t address_ = 0;      // of the pointer
  std::vector<Leaf> leaves_;
  std::string dim_;
  std::int64_t extent_ = 1;  // of the dim, so far
  bool strides_ = false;     // are being read
};

}  // namespace

Reading read_cute(std::string_view text, KnownDims known) {
  if (!is_cute(text)) return std::nullopt;
  return CuteReader(text, known).run();
}

}  // namespace stridewise::dialects
