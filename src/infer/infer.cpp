// SPDX-License-Identifier: Apache-2.0
#include "stridewise/infer.hpp"

#include <fmt/format.h>

#include "base/checked.hpp"
#include "infer/decide.hpp"
#include "infer/packed.hpp"
#include "infer/records.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

Result<std::int64_t> check_sizes(std::span<const InferPair> pairs,
                                 const InferOptions& options) {
  const Result<std::int64_t> elements = element_count(options.shape);
  if (!elements) return elements;
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
  if (static_cast<std::int64_t>(pairs.front().dump.size()) <
      options.element_bytes) {
    return fail(ErrorCode::mismatch,
                fmt::format("the dump has {} bytes, less than one element",
                            pairs.front().dump.size()));
  }
  return elements;
}

Result<void> check_options(std::span<const InferPair> pairs,
                           const InferOptions& options) {
  const auto dump = static_cast<std::int64_t>(pairs.front().dump.size());
  if (options.packed_bits < 0 ||
      options.packed_bits > 8 * options.element_bytes) {
    return fail(ErrorCode::invalid_value,
                fmt::format("elements of {} bytes are not packed into {} bits",
                            options.element_bytes, options.packed_bits));
  }
  if (!options.record) return {};
  const InferRecord& record = *options.record;
  if (record.bytes < 1 || dump % record.bytes != 0) {
    return fail(ErrorCode::mismatch,
                fmt::format("the dump's {} bytes are no whole number of "
                            "records of {} bytes",
                            dump, record.bytes));
  }
  return {};
}

}  // namespace

Result<InferReport> infer(std::span<const InferPair> pairs,
                          const InferOptions& options) {
  const Result<std::int64_t> elements = check_sizes(pairs, options);
  if (!elements) return unexpected(elements.error());
  if (const Result<void> fits = check_options(pairs, options); !fits) {
    return unexpected(fits.error());
  }
  if (options.record) {
    return inference::decide_in_records(pairs, options, *elements);
  }
  if (options.packed_bits != 0) {
    return inference::decide_packed(pairs, options, *elements);
  }
  return inference::decide(pairs, options, *elements);
}

}  // namespace stridewise
