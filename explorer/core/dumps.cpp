// What a dump holds: its values, its padding, how it differs from another one, and which
// layout it has.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

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

// A dump's memory with little-endian elements.
struct Memory {
  std::vector<std::byte> bytes;
  ElementType type;
};

Result<Memory> memory_of(const Request& request, std::string_view name,
                         const Layout& layout) {
  const Result<Dump> dump = dump_of(request, name, layout);
  if (!dump) return unexpected(dump.error());
  Memory memory{{dump->bytes.begin(), dump->bytes.end()}, dump->type};
  const auto width = static_cast<std::size_t>(dump->type.bytes());
  if (dump->big_endian && width > 1) {
    for (std::size_t at = 0; at + width <= memory.bytes.size(); at += width) {
      std::reverse(
          memory.bytes.begin() + static_cast<std::ptrdiff_t>(at),
          memory.bytes.begin() + static_cast<std::ptrdiff_t>(at + width));
    }
  }
  return memory;
}

// In logical order, each element in whole bytes.
Result<std::vector<std::byte>> decoded(const Layout& layout,
                                       const Memory& memory) {
  const auto rows = row_major(layout, layout.element_bits());
  if (!rows) return unexpected(rows.error());
  const auto plan = Plan::make(layout, *rows);
  if (!plan) return unexpected(plan.error());
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows->size_bytes()));
  plan->run(memory.bytes.data(), bytes.data());
  return bytes;
}

Json statistics(std::span<const std::byte> bytes, const ElementType& type) {
  const auto width = static_cast<std::size_t>(type.bytes());
  double least = 0, most = 0, sum = 0;
  std::int64_t finite = 0, nan = 0, zeros = 0;
  for (std::size_t at = 0; at + width <= bytes.size(); at += width) {
    const inspect::Value value = inspect::value_at(type, bytes.data() + at);
    if (value.nan()) ++nan;
    if (!value.finite()) continue;
    least = finite == 0 ? value.real : std::min(least, value.real);
    most = finite == 0 ? value.real : std::max(most, value.real);
    sum += value.real;
    zeros += value.real == 0 ? 1 : 0;
    ++finite;
  }
  return {
      {"least", least},
      {"most", most},
      {"mean", finite > 0 ? Json(sum / static_cast<double>(finite)) : Json()},
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
  const Result<Memory> memory = memory_of(request, "file", layout);
  if (!memory) return unexpected(memory.error());
  const auto bytes = decoded(layout, *memory);
  if (!bytes) return unexpected(bytes.error());
  const ElementType type = array_type(memory->type);
  std::vector<std::int64_t> extents;
  for (const Dim& dim : layout.shape()) extents.push_back(dim.extent);
  last_array() = make_npy_header(type, extents);
  last_array().append(reinterpret_cast<const char*>(bytes->data()),
                      bytes->size());
  const auto width = static_cast<std::size_t>(type.bytes());
  Json first = Json::array();
  constexpr std::size_t shown = 64;
  for (std::size_t k = 0; k < std::min(shown, bytes->size() / width); ++k) {
    first.push_back(
        inspect::print_value(memory->type, bytes->data() + k * width));
  }
  return Json{
      {"values", std::move(first)},
      {"statistics", statistics(*bytes, memory->type)},
      {"place", count(static_cast<std::int64_t>(
                    reinterpret_cast<std::uintptr_t>(last_array().data())))},
      {"size", last_array().size()}};
}

// "file": what is odd about it on its own.
Reply check(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const Result<Memory> memory = memory_of(request, "file", subject->layout);
  if (!memory) return unexpected(memory.error());
  const auto report =
      check_memory(subject->layout, memory->bytes, memory->type);
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
              {"nan", count(report->nan)},
              {"inf", count(report->inf)},
              {"findings", report->findings},
              {"leaks", std::move(leaks)}};
}

// "file" in "layout" against "reference" in "to", or row by row where there is none.
Reply compare(const Request& request) {
  const Result<Subject> subject = subject_of(request);
  if (!subject) return unexpected(subject.error());
  const auto rows = row_major(subject->layout, subject->layout.element_bits());
  if (!rows) return unexpected(rows.error());
  const Layout& other = subject->to ? *subject->to : *rows;
  const Result<Memory> a = memory_of(request, "file", subject->layout);
  if (!a) return unexpected(a.error());
  const Result<Memory> b = memory_of(request, "reference", other);
  if (!b) return unexpected(b.error());
  const auto report = diff(subject->layout, a->bytes, other, b->bytes,
                           DiffOptions{.type = a->type});
  if (!report) return unexpected(report.error());
  const Shape& shape = subject->layout.shape();
  return Json{{"elements", count(report->elements)},
              {"differences", count(report->differences)},
              {"max_abs", report->max_abs},
              {"findings", report->findings},
              {"first", report->first ? difference_json(*report->first, shape)
                                      : Json(nullptr)},
              {"worst", report->worst ? difference_json(*report->worst, shape)
                                      : Json(nullptr)}};
}

// Which layout "file" has, if "reference" is the same tensor row by row. Layouts need not be
// given: the shape is that of the reference.
Reply infer_layout(const Request& request) {
  const Result<Dump> reference = dump_of(request, "reference");
  if (!reference) return unexpected(reference.error());
  const Result<Dump> dump = dump_of(request, "file");
  if (!dump) return unexpected(dump.error());
  const Result<Shape> shape = parse_shape(request.text("shape"));
  if (!shape) return unexpected(shape.error());
  InferOptions options{.shape = *shape,
                       .element_bytes = reference->type.bytes()};
  const InferPair pair{reference->bytes, dump->bytes};
  const auto report = infer(std::span(&pair, 1), options);
  if (!report) return unexpected(report.error());
  Json fits = Json::array();
  for (const InferFit& fit : report->fits) fits.push_back(fit_json(fit));
  return Json{{"outcome", outcome_name(report->outcome)},
              {"reason", report->reason},
              {"elements", count(report->elements)},
              {"matching", count(report->matching)},
              {"fits", std::move(fits)},
              {"best", report->best ? fit_json(*report->best) : Json(nullptr)}};
}

}  // namespace stridewise::explorer
