// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/convert.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <span>

#include "base/bits.hpp"
#include "reorder/fields/walk.hpp"
#include "reorder/values/conversion.hpp"

namespace stridewise::detail {
namespace {

// Elements whose values change at once.
constexpr std::size_t staged_elements = 256;
constexpr std::size_t most_element_bytes = 16;  // of an element

// Elements of one width: whole bytes as they are, parts of bytes as their code.
class Elements {
 public:
  explicit Elements(const ElementType& type)
      : bits_(type.bits), bytes_(type.bytes()) {}

  void load(const std::byte* memory, std::int64_t size, std::int64_t place,
            std::byte* to) const {
    if (bits_ % 8 == 0 && place % 8 == 0) {
      std::memcpy(to, memory + place / 8, static_cast<std::size_t>(bytes_));
      return;
    }
    for (std::int64_t done = 0; done < bits_; done += 32) {
      const std::int64_t part = std::min<std::int64_t>(32, bits_ - done);
      const std::uint64_t code = load_bits(memory, size, place + done, part);
      std::memcpy(to + done / 8, &code,
                  static_cast<std::size_t>((part + 7) / 8));
    }
  }

  void store(const std::byte* from, std::int64_t place,
             BitWriter& writer) const {
    for (std::int64_t done = 0; done < bits_; done += 32) {
      const std::int64_t part = std::min<std::int64_t>(32, bits_ - done);
      std::uint64_t code = 0;
      std::memcpy(&code, from + done / 8,
                  static_cast<std::size_t>((part + 7) / 8));
      writer.put(place + done, part, code & ((std::uint64_t{1} << part) - 1));
    }
  }

  [[nodiscard]] std::int64_t bytes() const { return bytes_; }
  [[nodiscard]] bool whole() const { return bits_ % 8 == 0; }

 private:
  std::int64_t bits_;
  std::int64_t bytes_;
};

// Codes in a byte each: a table of what each becomes, where only their width changes.
class ValueChange {
 public:
  explicit ValueChange(const Values& values)
      : values_(values), conversion_(find_conversion(values)) {
    by_code_ =
        changes_width(values) && values.src.bits <= 8 && values.dst.bits <= 8;
    if (!by_code_) return;
    for (std::size_t k = 0; k < codes_.size(); ++k) {
      const auto code = static_cast<std::byte>(k);
      convert_values(values, &code, &codes_[k], 1);
    }
  }

  void run(const std::byte* src, std::byte* dst, std::int64_t count) const {
    if (conversion_) {
      conversion_->run({.src = src,
                        .dst = dst,
                        .count = count,
                        .runs = 1,
                        .src_pitch = 0,
                        .dst_pitch = 0},
                       values_.quantisation);
      return;
    }
    if (!by_code_) return convert_values(values_, src, dst, count);
    for (std::int64_t k = 0; k < count; ++k) {
      dst[k] = codes_[static_cast<std::size_t>(src[k])];
    }
  }

 private:
  const Values& values_;
  std::optional<ValueConversion> conversion_;
  bool by_code_ = false;
  std::array<std::byte, 256> codes_{};
};

}  // namespace

void convert_fields(const FieldNest& nest, const Values& values,
                    const std::byte* src, std::int64_t src_bytes,
                    std::byte* dst) {
  const ValueChange change(values);
  const Elements read(values.src);
  const Elements written(values.dst);
  std::array<std::byte, staged_elements * most_element_bytes> before, after;
  BitWriter writer(dst);
  each_place(nest, [&](std::int64_t from, std::int64_t to) {
    for (std::size_t first = 0; first < nest.inner.size();
         first += staged_elements) {
      const std::span<const Field> fields =
          std::span(nest.inner)
              .subspan(first,
                       std::min(staged_elements, nest.inner.size() - first));
      std::byte* at = before.data();
      for (const Field& field : fields) {
        read.load(src, src_bytes, from + field.src, at);
        at += read.bytes();
      }
      change.run(before.data(), after.data(),
                 static_cast<std::int64_t>(fields.size()));
      at = after.data();
      for (const Field& field : fields) {
        if (written.whole() && (to + field.dst) % 8 == 0) {
          std::memcpy(dst + (to + field.dst) / 8, at,
                      static_cast<std::size_t>(written.bytes()));
        } else {
          written.store(at, to + field.dst, writer);
        }
        at += written.bytes();
      }
    }
  });
}

}  // namespace stridewise::detail
