// SPDX-License-Identifier: Apache-2.0
#include "infer/records.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "infer/decide.hpp"
#include "infer/natural.hpp"
#include "infer/packed.hpp"

namespace stridewise::inference {
namespace {

using Bytes = std::vector<std::byte>;
using Outcome = InferReport::Outcome;

constexpr std::size_t most_record_places = 64;  // that are tried
constexpr std::ptrdiff_t most_record_fits = 16;
constexpr int checked_elements = 4096;

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
                                "evenly: tell the part's bytes in each",
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
    places_ = 8 * part_ / bits_;
    if (places_ == 0) {
      return fail(ErrorCode::mismatch,
                  fmt::format("a part of {} bytes has no room for an element "
                              "of {} bits",
                              part_, bits_));
    }
    if (place >= 0) return at(place);
    return anywhere();
  }

 private:
  // All places whose bytes have a layout.
  [[nodiscard]] InferReport anywhere() const {
    InferReport answer;
    answer.elements = elements_;
    const std::vector<std::int64_t> places = likely_places();
    answer.reason =
        places.empty()
            ? fmt::format(
                  "no {} bytes of records of {} have as many bits 1 as "
                  "the reference: is a record of another size?",
                  part_, bytes_)
            : fmt::format(
                  "{} places of the records may be the part's, too "
                  "many to try: tell its place",
                  places.size());
    if (places.size() > most_record_places) return answer;
    for (const std::int64_t place : places) {
      InferReport report = at(place);
      if (report.outcome == Outcome::unknowable) return report;
      if (answer.fits.empty()) {
        answer = std::move(report);
        continue;
      }
      if (report.fits.empty()) continue;
      answer.outcome = Outcome::several;
      answer.reason = "more than one place of the records has such a part";
      std::ranges::move(report.fits, std::back_inserter(answer.fits));
    }
    if (answer.fits.size() > most_record_fits) {
      answer.fits.erase(answer.fits.begin() + most_record_fits,
                        answer.fits.end());
    }
    return answer;
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
    for (const std::byte byte :
         without_high_bits(reference, bits_, options_.element_bytes)) {
      sum += ones(byte);
    }
    return sum;
  }

  // The part of all records, one after the other, each place in bytes of its own.
  [[nodiscard]] Bytes gathered(std::span<const std::byte> dump,
                               std::int64_t place) const {
    Bytes part;
    for (std::int64_t r = 0; r < count_; ++r) {
      const auto own =
          dump.subspan(static_cast<std::size_t>(r * bytes_ + place),
                       static_cast<std::size_t>(part_));
      if (options_.packed_bits == 0) {
        part.insert(part.end(), own.begin(), own.end());
      } else {
        append_places(own, bits_, options_.element_bytes, part);
      }
    }
    return part;
  }

  [[nodiscard]] InferReport at(std::int64_t place) const {
    std::vector<Bytes> memory;
    std::vector<InferPair> parts;
    for (const InferPair& pair : pairs_) {
      memory.push_back(
          without_high_bits(pair.reference, bits_, options_.element_bytes));
      memory.push_back(gathered(pair.dump, place));
      parts.push_back({memory[memory.size() - 2], memory.back()});
    }
    InferOptions options = options_;
    options.record.reset();
    options.packed_bits = 0;
    options.zeros.clear();
    options.progress = {};
    InferReport report = decide(parts, options, elements_);
    report.best.reset();
    const bool found = !report.fits.empty();
    std::vector<InferFit> fits;
    for (const InferFit& fit : std::exchange(report.fits, {})) {
      if (auto whole = in_records(fit, place)) {
        fits.push_back(*std::move(whole));
      }
    }
    if (fits.empty() && report.outcome != Outcome::unknowable) {
      report.outcome = Outcome::none;
      if (found) {
        report.reason =
            "the part has a layout, but not one that records divide";
      }
      if (options_.record->place >= 0) {
        report.reason += "; a place that is not told is looked for";
      }
    }
    report.fits = std::move(fits);
    return report;
  }

  // The slower digits choose the record, the others lie within it.
  [[nodiscard]] std::optional<InferFit> in_records(const InferFit& fit,
                                                   std::int64_t place) const {
    const Expression& within = fit.layout.expression();
    const std::vector<LayoutPiece> pieces = fit.layout.pieces();
    if (fit.start_byte != 0 || fit.missing_bytes != 0 ||
        within.axes.size() != 1 || pieces.size() != 1 ||
        pieces[0].digits.size() != within.axes[0].terms.size()) {
      return std::nullopt;
    }
    const std::int64_t base = within.axes[0].base;
    const std::int64_t rest = base % places_ * bits_;
    if (rest % 8 != 0) return std::nullopt;
    Axis inner{.base = rest / 8 + place, .base_in_bytes = true};
    Axis outer{.name = "rec",
               .base = base / places_,
               .pitch = {Step::Kind::exact, bytes_}};
    for (std::size_t k = 0; k < pieces[0].digits.size(); ++k) {
      if (!place_digit(within.axes[0].terms[k], pieces[0].digits[k], outer,
                       inner)) {
        return std::nullopt;
      }
    }
    inner.base_in_bytes = inner.base != 0;
    Expression expression{.axes = {std::move(outer), std::move(inner)},
                          .fused = within.fused};
    if (bytes_ * 8 % bits_ != 0 && bits_ % 8 == 0) join_axes(expression);
    const Result<Layout> layout = bound(std::move(expression));
    if (!layout || !in_place(*layout, fit.layout, place)) return std::nullopt;
    const std::int64_t more = count_ * bytes_ - layout->size_bytes();
    return InferFit{.layout = *layout,
                    .names = {},
                    .trailing_bytes = std::max<std::int64_t>(more, 0),
                    .missing_bytes = std::max<std::int64_t>(-more, 0)};
  }

  // A record that is no whole number of elements has no axis: its number has a stride in
  // bytes.
  void join_axes(Expression& expression) const {
    Axis& outer = expression.axes[0];
    Axis& inner = expression.axes[1];
    inner.base += outer.base * bytes_;
    inner.base_in_bytes = inner.base != 0;
    for (Term& term : outer.terms) {
      if (term.stride.kind == Step::Kind::natural) continue;
      term.stride = {Step::Kind::bytes, term.stride.value * bytes_};
    }
    inner.terms.insert(inner.terms.begin(), outer.terms.begin(),
                       outer.terms.end());
    expression.axes.erase(expression.axes.begin());
  }

  // Whether the layout has elements here and there where the part's layout has them, record
  // by record: the first and last of each dim.
  [[nodiscard]] bool in_place(const Layout& layout, const Layout& part,
                              std::int64_t place) const {
    const std::int64_t unit =
        8 * options_.element_bytes;  // of the part's places
    Sequence random;
    std::vector<std::int64_t> index(options_.shape.size(), 0);
    for (int k = 0; k < checked_elements; ++k) {
      for (std::size_t d = 0; d < index.size(); ++d) {
        const std::int64_t last = options_.shape[d].extent - 1;
        index[d] = k == 0 ? 0 : k == 1 ? last : random.below(last + 1);
      }
      const std::int64_t p = part.bit_of(index) / unit;
      const std::int64_t bit =
          p / places_ * 8 * bytes_ + 8 * place + p % places_ * bits_;
      if (layout.bit_of(index) != bit) return false;
    }
    return true;
  }

  // With natural strides for the axis of records.
  [[nodiscard]] Result<Layout> bound(Expression expression) const {
    const Binding binding{.element_bits = bits_};
    const Result<Layout> exact =
        Layout::bind(expression, options_.shape, binding);
    if (!exact || expression.axes.size() < 2) return exact;
    const std::vector<LayoutPiece> pieces = exact->pieces();
    hide_natural_strides(expression.axes[0].terms, pieces.front().digits);
    return Layout::bind(expression, options_.shape, binding);
  }

  // Within the record, outside, or cut in two where it goes on in the next record. False:
  // it is no whole number of records.
  [[nodiscard]] bool place_digit(const Term& term,
                                 const LayoutPiece::Digit& bound, Axis& outer,
                                 Axis& inner) const {
    const std::int64_t stride =
        bound.stride_bits / (8 * options_.element_bytes);
    if (stride >= places_) {
      outer.terms.push_back({.digit = term.digit,
                             .stride = {Step::Kind::exact, stride / places_}});
      return stride % places_ == 0;
    }
    if (stride * bound.extent <= places_) {
      inner.terms.push_back(term);
      return true;
    }
    if (places_ % stride != 0 || !term.digit.plain()) return false;
    const Result<Digit> slow = term.digit.divided_by(places_ / stride);
    const Result<Digit> fast = term.digit.modulo(places_ / stride);
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
  std::int64_t part_ = 0;    // bytes
  std::int64_t places_ = 0;  // of elements in the part of a record
};

}  // namespace

Result<InferReport> decide_in_records(std::span<const InferPair> pairs,
                                      const InferOptions& options,
                                      std::int64_t elements) {
  return Records(pairs, options, elements).run();
}

}  // namespace stridewise::inference
