// SPDX-License-Identifier: Apache-2.0
#include "infer/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "infer/decide.hpp"
#include "infer/natural.hpp"
#include "infer/packed.hpp"

namespace stridewise::inference {
namespace {

using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

std::int64_t ones(std::byte byte) {
  return std::popcount(std::to_integer<std::uint8_t>(byte));
}

class Records {
 public:
  Records(std::span<const InferPair> pairs, const InferOptions& options,
          std::int64_t elements)
      : pairs_(pairs),
        options_(options),
        elements_(elements),
        bits_(options.packed_bits != 0 ? options.packed_bits
                                       : 8 * options.element_bytes),
        bytes_(options.record->bytes),
        count_(static_cast<std::int64_t>(pairs.front().dump.size()) / bytes_) {}

  Result<InferReport> run() {
    const std::int64_t needed = elements_ * bits_;
    part_ = options_.record->part_bytes;
    if (part_ < 0) {
      if (needed % (8 * count_) != 0) {
        return fail(ErrorCode::mismatch,
                    fmt::format("{} elements of {} bits do not fill {} records "
                                "evenly: tell part_bytes, what the part takes "
                                "in each",
                                elements_, bits_, count_));
      }
      part_ = needed / (8 * count_);
    }
    const std::int64_t place = options_.record->place;
    if (part_ < 1 || part_ > bytes_ ||
        std::max<std::int64_t>(place, 0) > bytes_ - part_) {
      return fail(
          ErrorCode::mismatch,
          fmt::format("a part of {} bytes{} is not within a record of "
                      "{} bytes",
                      part_, place < 0 ? "" : fmt::format(" at byte {}", place),
                      bytes_));
    }
    if (place >= 0) return at(place);
    return anywhere();
  }

 private:
  // The first place whose bytes have a layout.
  [[nodiscard]] InferReport anywhere() const {
    InferReport nearest;
    nearest.elements = elements_;
    nearest.reason = "no place in the records has the bits of the reference";
    for (const std::int64_t place : likely_places()) {
      InferReport report = at(place);
      if (!report.fits.empty() || report.outcome == Outcome::unknowable) {
        return report;
      }
      if (report.matching >= nearest.matching) nearest = std::move(report);
    }
    return nearest;
  }

  // Where the part would have as many bits 1 as the reference, in each pair.
  [[nodiscard]] std::vector<std::int64_t> likely_places() const {
    std::vector<std::int64_t> places;
    std::vector<std::vector<std::int64_t>> before;  // bits 1 left of a byte
    std::vector<std::int64_t> wanted;
    for (const InferPair& pair : pairs_) {
      std::vector<std::int64_t> sums(static_cast<std::size_t>(bytes_ + 1), 0);
      for (std::size_t k = 0; k < pair.dump.size(); ++k) {
        sums[k % static_cast<std::size_t>(bytes_) + 1] += ones(pair.dump[k]);
      }
      for (std::size_t k = 1; k < sums.size(); ++k) sums[k] += sums[k - 1];
      before.push_back(std::move(sums));
      wanted.push_back(ones_of(pair.reference));
    }
    for (std::int64_t place = 0; place + part_ <= bytes_; ++place) {
      bool same = true;
      for (std::size_t k = 0; k < before.size() && same; ++k) {
        same = before[k][static_cast<std::size_t>(place + part_)] -
                   before[k][static_cast<std::size_t>(place)] ==
               wanted[k];
      }
      if (same) places.push_back(place);
    }
    return places;
  }

  // Of the lowest bits of each element, which are those that count.
  [[nodiscard]] std::int64_t ones_of(
      std::span<const std::byte> reference) const {
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < reference.size(); ++k) {
      const auto first =
          static_cast<std::int64_t>(k) % options_.element_bytes * 8;
      const std::int64_t counted =
          std::clamp<std::int64_t>(bits_ - first, 0, 8);
      sum += ones(reference[k] & std::byte((1U << counted) - 1));
    }
    return sum;
  }

  [[nodiscard]] InferReport at(std::int64_t place) const {
    std::vector<Bytes> memory;
    std::vector<InferPair> gathered;
    for (const InferPair& pair : pairs_) {
      Bytes part(static_cast<std::size_t>(count_ * part_));
      for (std::int64_t r = 0; r < count_; ++r) {
        std::memcpy(part.data() + r * part_,
                    pair.dump.data() + r * bytes_ + place,
                    static_cast<std::size_t>(part_));
      }
      memory.push_back(std::move(part));
      gathered.push_back({pair.reference, memory.back()});
    }
    InferOptions options = options_;
    options.record.reset();
    options.zeros.clear();
    options.progress = {};
    InferReport report = options.packed_bits != 0
                             ? decide_packed(gathered, options, elements_)
                             : decide(gathered, options, elements_);
    report.best.reset();
    std::vector<InferFit> fits;
    for (const InferFit& fit : std::exchange(report.fits, {})) {
      if (auto whole = in_records(fit, place)) {
        fits.push_back(*std::move(whole));
      }
    }
    if (fits.empty() && report.outcome != Outcome::unknowable) {
      report.outcome = Outcome::none;
      if (report.reason.empty()) {
        report.reason = "the part has a layout, but not record by record";
      }
    }
    report.fits = std::move(fits);
    return report;
  }

  // The slower digits choose the record, the others lie within it.
  [[nodiscard]] std::optional<InferFit> in_records(const InferFit& fit,
                                                   std::int64_t place) const {
    Expression expression = fit.layout.expression();
    const std::vector<LayoutPiece> pieces = fit.layout.pieces();
    if (fit.start_byte != 0 || fit.missing_bytes != 0 ||
        expression.axes.size() != 1 || pieces.size() != 1 ||
        pieces[0].digits.size() != expression.axes[0].terms.size()) {
      return std::nullopt;
    }
    Axis inner{.base = expression.axes[0].base};
    Axis outer{.name = "rec", .pitch = {Step::Kind::exact, bytes_}};
    for (std::size_t k = 0; k < pieces[0].digits.size(); ++k) {
      if (!place_digit(expression.axes[0].terms[k], pieces[0].digits[k], outer,
                       inner)) {
        return std::nullopt;
      }
    }
    if (inner.base * bits_ % 8 != 0) return std::nullopt;
    inner.base = inner.base * bits_ / 8 + place;
    inner.base_in_bytes = inner.base != 0;
    expression.axes = {std::move(outer), std::move(inner)};
    const Result<Layout> layout = bound(std::move(expression));
    if (!layout || layout->size_bytes() > count_ * bytes_) return std::nullopt;
    return InferFit{.layout = *layout,
                    .names = {},
                    .trailing_bytes = count_ * bytes_ - layout->size_bytes()};
  }

  // With natural strides for the axis of records.
  [[nodiscard]] Result<Layout> bound(Expression expression) const {
    const Binding binding{.element_bits = bits_};
    const Result<Layout> exact =
        Layout::bind(expression, options_.shape, binding);
    if (!exact) return exact;
    const std::vector<LayoutPiece> pieces = exact->pieces();
    hide_natural_strides(expression.axes[0].terms, pieces.front().digits);
    return Layout::bind(expression, options_.shape, binding);
  }

  // Within the record, outside, or cut in two where it goes on in the next record. False:
  // it is no whole number of records.
  [[nodiscard]] bool place_digit(const Term& term,
                                 const LayoutPiece::Digit& bound, Axis& outer,
                                 Axis& inner) const {
    const std::int64_t record = 8 * part_;
    const std::int64_t stride = bound.stride_bits;
    if (stride >= record) {
      outer.terms.push_back({.digit = term.digit,
                             .stride = {Step::Kind::exact, stride / record}});
      return stride % record == 0;
    }
    if (stride * bound.extent <= record) {
      inner.terms.push_back(term);
      return true;
    }
    if (record % stride != 0 || !term.digit.plain()) return false;
    const Result<Digit> slow = term.digit.divided_by(record / stride);
    const Result<Digit> fast = term.digit.modulo(record / stride);
    if (!slow || !fast) return false;
    outer.terms.push_back({.digit = *slow, .stride = {Step::Kind::exact, 1}});
    inner.terms.push_back({.digit = *fast, .stride = term.stride});
    return true;
  }

  std::span<const InferPair> pairs_;
  const InferOptions& options_;
  std::int64_t elements_;
  std::int64_t bits_;
  std::int64_t bytes_;  // of a record
  std::int64_t count_;
  std::int64_t part_ = 0;  // bytes
};

}  // namespace

Result<InferReport> decide_in_records(std::span<const InferPair> pairs,
                                      const InferOptions& options,
                                      std::int64_t elements) {
  return Records(pairs, options, elements).run();
}

}  // namespace stridewise::inference
