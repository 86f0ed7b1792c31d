// What a dump holds: its values, its padding, how it differs from another one, and which
// layout it has.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "files.hpp"
#include "inspect/value.hpp"
#include "reply.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::explorer {
namespace {

// What the page may take for an answer, beside the files.
constexpr std::int64_t most_decoded_bytes = std::int64_t{1} << 30;

// The elements of a dump in logical order, each in whole bytes, as arrays hold them.
struct Decoded {
  ElementType type;
  std::vector<std::byte> bytes;
};

Result<Decoded> decoded(const Layout& layout, const Dump& dump) {
  Decoded all{array_type(dump.type), {}};
  const auto rows = row_major(layout, all.type.bits);
  if (!rows) return unexpected(rows.error());
  if (rows->size_bytes() > most_decoded_bytes) {
    return fail(ErrorCode::overflow,
                "the tensor is too large for the page: use the command line");
  }
  PlanOptions options;
  if (all.type != dump.type) options.values = Values{dump.type, all.type};
  const auto plan = Plan::make(layout, *rows, options);
  if (!plan) return unexpected(plan.error());
  all.bytes.resize(static_cast<std::size_t>(rows->size_bytes()));
  plan->run(dump.bytes.data(), all.bytes.data());
  return all;
}

// The same tensor row by row: in `room`, where its file tells a layout, else as it is.
Result<Dump> row_by_row(Dump dump, const Shape& shape,
                        std::vector<std::byte>& room) {
  const ToldTensor told = told_of(*dump.tensor);
  if (told.layout.empty()) return dump;
  std::vector<std::string> dims;
  for (const Dim& dim : shape) dims.push_back(dim.name);
  const auto source = resolve_layout(told.layout, dims);
  if (!source) return unexpected(source.error());
  const auto layout = source->bind(
      shape, Binding{.element_bits = dump.type.bits, .tables = {}});
  if (!layout) return unexpected(layout.error());
  Result<Decoded> all = decoded(*layout, dump);
  if (!all) return unexpected(all.error());
  room = std::move(all->bytes);
  dump.bytes = room;
  dump.type = all->type;
  return dump;
}

// The reference of a comparison without a layout of its own: an array's dims by their
// places, as names of a file are its own.
Result<Dump> reference_of(const Request& request, const Shape& shape,
                          std::vector<std::byte>& room) {
  const Result<Dump> dump = dump_of(request, "reference");
  if (!dump) return dump;
  const ToldTensor told = told_of(*dump->tensor);
  if (told.layout.empty()) return dump;
  const auto own = parse_shape(told.shape);
  if (!own) return unexpected(own.error());
  if (!std::ranges::equal(*own, shape, {}, &Dim::extent, &Dim::extent)) {
    return fail(ErrorCode::mismatch,
                fmt::format("the reference is an array of {}, the layout's "
                            "tensor is {}: give its layout as the second one",
                            print(*own), print(shape)));
  }
  return row_by_row(*dump, *own, room);
}

Json statistics(const Decoded& all) {
  const auto width = static_cast<std::size_t>(all.type.bytes());
  double least = 0, most = 0, sum = 0;
  const std::byte* least_at = nullptr;
  const std::byte* most_at = nullptr;
  std::int64_t finite = 0, nan = 0, zeros = 0;
  for (std::size_t at = 0; at + width <= all.bytes.size(); at += width) {
    const std::byte* const place = all.bytes.data() + at;
    const inspect::Value value = inspect::value_at(all.type, place);
    if (value.nan()) ++nan;
    if (!value.finite()) continue;
    if (least_at == nullptr || value.real < least) {
      least = value.real;
      least_at = place;
    }
    if (most_at == nullptr || value.real > most) {
      most = value.real;
      most_at = place;
    }
    sum += value.real;
    zeros += value.real == 0 ? 1 : 0;
    ++finite;
  }
  const auto text = [&](const std::byte* at) {
    return at == nullptr ? Json(nullptr)
                         : Json(inspect::print_value(all.type, at));
  };
  const double mean =
      sum / static_cast<double>(std::max<std::int64_t>(finite, 1));
  return {{"least", text(least_at)},
          {"most", text(most_at)},
          {"mean", finite > 0 && std::isfinite(mean) ? Json(mean) : Json()},
          {"finite", count(finite)},
          {"nan", count(nan)},
          {"zeros", count(zeros)}};
}

// The array that the page offers as a file; it stays until the next one.
std::string& last_array() {
  static std::string array;
  return array;
}

Json difference_json(const Difference& one, const Shape& shape) {
  return {{"index", named(shape, one.index)},
          {"byte_a", count(one.byte_a)},
          {"byte_b", count(one.byte_b)},
          {"a", one.a_text},
          {"b", one.b_text}};
}

Json fit_json(const InferFit& fit) {
  return {{"expression", print(fit.layout.expression())},
          {"names", fit.names},
          {"start_byte", count(fit.start_byte)},
          {"trailing_bytes", count(fit.trailing_bytes)},
          {"missing_bytes", count(fit.missing_bytes)}};
}

}  // namespace

// "file": the values in logical order, the first of them as text, and all as a .npy file at
// "place".
Reply values(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Layout& layout = subject->layout;
  if (layout.unreadable()) return unexpected(*layout.unreadable());
  const Result<Dump> dump = dump_of(request, "file", layout, subject->type);
  if (!dump) return unexpected(dump.error());
  const Result<Decoded> all = decoded(layout, *dump);
  if (!all) return unexpected(all.error());
  std::vector<std::int64_t> extents;
  for (const Dim& dim : layout.shape()) extents.push_back(dim.extent);
  std::string& array = last_array();
  array = make_npy_header(all->type, extents);
  array.append(reinterpret_cast<const char*>(all->bytes.data()),
               all->bytes.size());
  const auto width = static_cast<std::size_t>(all->type.bytes());
  Json first = Json::array();
  constexpr std::size_t shown = 64;
  for (std::size_t k = 0; k < std::min(shown, all->bytes.size() / width); ++k) {
    first.push_back(
        inspect::print_value(all->type, all->bytes.data() + k * width));
  }
  return Json{{"values", std::move(first)},
              {"statistics", statistics(*all)},
              {"place", count(static_cast<std::int64_t>(
                            reinterpret_cast<std::uintptr_t>(array.data())))},
              {"size", array.size()}};
}

// "file": what is odd about it on its own.
Reply check(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Result<Dump> dump =
      dump_of(request, "file", subject->layout, subject->type);
  if (!dump) return unexpected(dump.error());
  const auto report = check_memory(subject->layout, dump->bytes, dump->type);
  if (!report) return unexpected(report.error());
  Json leaks = Json::array();
  for (const LeakReport& leak : report->leaks) {
    leaks.push_back({{"byte", count(leak.byte)},
                     {"count", count(leak.count)},
                     {"holds", leak.holds},
                     {"indices", leak.indices}});
  }
  return Json{{"padding", count(report->padding)},
              {"padding_nonzero", count(report->padding_nonzero)},
              {"in_bits", report->in_bits},
              {"nan", count(report->nan)},
              {"inf", count(report->inf)},
              {"findings", report->findings},
              {"leaks", std::move(leaks)}};
}

// "file" in "layout" against "reference" in "to", or as its file tells where there is none.
Reply compare(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Shape& shape = subject->layout.shape();
  const Result<Dump> a =
      dump_of(request, "file", subject->layout, subject->type);
  if (!a) return unexpected(a.error());
  std::vector<std::byte> room;
  const Result<Dump> b =
      subject->to ? dump_of(request, "reference", *subject->to, subject->type)
                  : reference_of(request, shape, room);
  if (!b) return unexpected(b.error());
  const Result<Layout> other =
      subject->to ? *subject->to : row_major(subject->layout, b->type.bits);
  if (!other) return unexpected(other.error());
  DiffOptions options{.type = a->type};
  if (a->type != b->type) {
    options.type_b = b->type;
    options.tolerance = tolerance_between(options);
  }
  const auto report =
      diff(subject->layout, a->bytes, *other, b->bytes, options);
  if (!report) return unexpected(report.error());
  return Json{{"elements", count(report->elements)},
              {"differences", count(report->differences)},
              {"max_abs", report->max_abs},
              {"findings", report->findings},
              {"first", report->first ? difference_json(*report->first, shape)
                                      : Json(nullptr)},
              {"worst", report->worst ? difference_json(*report->worst, shape)
                                      : Json(nullptr)}};
}

// Which layout "file" has, if "reference" is the same tensor. The shape is that of the
// reference's file, or the word "shape" where that tells none.
Reply infer_layout(const Request& request) {
  const Result<Dump> reference = dump_of(request, "reference");
  if (!reference) return unexpected(reference.error());
  const Result<Dump> dump = dump_of(request, "file");
  if (!dump) return unexpected(dump.error());
  const ToldTensor told = told_of(*reference->tensor);
  const Result<Shape> shape =
      parse_shape(told.shape.empty() ? request.text("shape") : told.shape);
  if (!shape) return unexpected(shape.error());
  std::vector<std::byte> room;
  const Result<Dump> rows = row_by_row(*reference, *shape, room);
  if (!rows) return unexpected(rows.error());
  const InferPair pair{rows->bytes, dump->bytes};
  const auto report = infer_typed(
      std::span(&pair, 1),
      {.infer = {.shape = *shape, .element_bytes = dump->type.bytes()},
       .reference = array_type(rows->type),
       .dump = dump->type});
  if (!report) return unexpected(report.error());
  const InferReport& found = report->report;
  Json fits = Json::array();
  for (const InferFit& fit : found.fits) fits.push_back(fit_json(fit));
  return Json{{"outcome", outcome_name(found.outcome)},
              {"reason", found.reason},
              {"shape", print(*shape)},
              {"dtype", dump->type.name},
              {"first_break", found.first_break
                                  ? Json(index_text(*shape, *found.first_break))
                                  : Json(nullptr)},
              {"elements", count(found.elements)},
              {"matching", count(found.matching)},
              {"fits", std::move(fits)},
              {"best", found.best ? fit_json(*found.best) : Json(nullptr)}};
}

}  // namespace stridewise::explorer
