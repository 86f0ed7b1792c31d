// SPDX-License-Identifier: Apache-2.0
#include "stridewise/infer.hpp"

#include <fmt/format.h>

#include <cstring>

#include "base/checked.hpp"
#include "infer/decide.hpp"
#include "infer/packed.hpp"
#include "infer/records.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

// Each place of a packed dump is read into bytes of its own.
constexpr std::int64_t most_places_bytes = std::int64_t{4} << 30;

Result<std::int64_t> check_sizes(std::span<const InferPair> pairs,
                                 const InferOptions& options) {
  const Result<std::int64_t> elements = element_count(options.shape);
  if (!elements) return elements;
  if (options.element_bytes < 1) {
    return fail(ErrorCode::invalid_value,
                fmt::format("elements of {} bytes", options.element_bytes));
  }
  const Checked bytes = mul(*elements, options.element_bytes);
  if (!bytes)
    return fail(ErrorCode::overflow, "the reference overflows 64 bits");
  if (pairs.empty()) {
    return fail(ErrorCode::mismatch, "there is no reference");
  }
  for (const InferPair& pair : pairs) {
    if (static_cast<std::int64_t>(pair.reference.size()) != *bytes) {
      return fail(ErrorCode::mismatch,
                  fmt::format("the reference has {} bytes, but {} of {} bytes "
                              "each takes {}",
                              pair.reference.size(), print(options.shape),
                              options.element_bytes, *bytes));
    }
    if (pair.dump.size() != pairs.front().dump.size()) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("dumps of one series have one size; these have {} "
                      "and {} bytes",
                      pairs.front().dump.size(), pair.dump.size()));
    }
  }
  if (*elements == 0) {
    return fail(ErrorCode::mismatch,
                "a tensor without elements tells nothing of its layout");
  }
  const std::int64_t bits = options.packed_bits != 0
                                ? options.packed_bits
                                : 8 * options.element_bytes;
  const auto dump = static_cast<std::int64_t>(pairs.front().dump.size());
  if (dump < (bits + 7) / 8) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("the dump has {} bytes, less than one element", dump));
  }
  return elements;
}

// The bits of an element beyond those that are packed are 0, or repeat its sign.
Result<void> check_held(std::span<const std::byte> reference,
                        const InferOptions& options) {
  const auto width = static_cast<std::size_t>(options.element_bytes);
  const std::int64_t unused = 64 - options.packed_bits;
  for (std::size_t at = 0; at < reference.size(); at += width) {
    std::uint64_t value = 0;
    std::memcpy(&value, reference.data() + at, width);
    const std::uint64_t all = ~std::uint64_t{0} >> (64 - 8 * width);
    const std::uint64_t low = value << unused >> unused;
    const auto negative = static_cast<std::uint64_t>(
        static_cast<std::int64_t>(value << unused) >> unused);
    if (value == low || value == (negative & all)) continue;
    return fail(ErrorCode::mismatch,
                fmt::format("element {} of the reference is {:#x}, which {} "
                            "bits do not hold",
                            at / width, value, options.packed_bits));
  }
  return {};
}

Result<void> check_packed(std::span<const InferPair> pairs,
                          const InferOptions& options) {
  const std::int64_t bits = options.packed_bits;
  if (bits < 0 || bits > 8 * options.element_bytes ||
      options.element_bytes > 8) {
    return fail(ErrorCode::invalid_value,
                fmt::format("elements of {} bytes are not packed into {} bits",
                            options.element_bytes, bits));
  }
  const auto dump = static_cast<std::int64_t>(pairs.front().dump.size());
  const Checked places = mul(dump * 8 / bits, options.element_bytes);
  if (!places || *places > most_places_bytes) {
    return fail(ErrorCode::unsupported,
                fmt::format("a dump of {} bytes has more than {} GiB of places",
                            dump, most_places_bytes >> 30));
  }
  for (const InferPair& pair : pairs) {
    if (auto held = check_held(pair.reference, options); !held) return held;
  }
  return {};
}

Result<void> check_record(std::span<const InferPair> pairs,
                          const InferRecord& record) {
  const auto dump = static_cast<std::int64_t>(pairs.front().dump.size());
  if (record.bytes < 1) {
    return fail(ErrorCode::invalid_value, "a record has 1 byte or more");
  }
  if (dump % record.bytes == 0) return {};
  return fail(ErrorCode::mismatch,
              fmt::format("the dump's {} bytes are no whole number of records "
                          "of {} bytes; cut off what comes before or after "
                          "them",
                          dump, record.bytes));
}

}  // namespace

Result<InferReport> infer(std::span<const InferPair> pairs,
                          const InferOptions& options) {
  const Result<std::int64_t> elements = check_sizes(pairs, options);
  if (!elements) return unexpected(elements.error());
  if (options.packed_bits != 0) {
    if (auto fits = check_packed(pairs, options); !fits) {
      return unexpected(fits.error());
    }
  }
  if (options.record) {
    if (auto fits = check_record(pairs, *options.record); !fits) {
      return unexpected(fits.error());
    }
    return inference::decide_in_records(pairs, options, *elements);
  }
  if (options.packed_bits != 0) {
    return inference::decide_packed(pairs, options, *elements);
  }
  return inference::decide(pairs, options, *elements);
}

}  // namespace stridewise
