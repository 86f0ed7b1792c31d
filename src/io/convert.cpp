// Files in, files out: what a user of `convert` means by paths and two layouts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "base/expects.hpp"
#include "io/existing.hpp"
#include "io/input.hpp"
#include "io/output.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

void run_plan(const Plan& plan, const std::byte* src, std::byte* dst,
              const ConvertOptions& options) {
  // A hundred slices: fine enough for a progress bar, coarse enough for
  // threads.
  const std::int64_t tasks = plan.tasks();
  const std::int64_t slice = std::max<std::int64_t>(tasks / 100, 16);
  for (std::int64_t first = 0; first < tasks; first += slice) {
    const std::int64_t count = std::min(slice, tasks - first);
    options.parallel_for(
        count, [&](std::int64_t k) { plan.run_task(first + k, src, dst); });
    if (options.progress) {
      options.progress(static_cast<double>(first + count) /
                       static_cast<double>(tasks));
    }
  }
}

// Whether what `out` holds stays: all but elements of one tensor if asked, or of the parts
// that are given where there are more.
bool keeps(const ConvertOptions& options, const std::vector<Input>& inputs) {
  const Layout& memory = inputs.front().sides.dst.memory;
  std::size_t given = 0;
  for (const Input& input : inputs) given += input.sides.pairs.size();
  return options.fill == Fill::keep || memory.tensors().size() > given;
}

// What no element is written over keeps this byte.
void fill_all(const ConvertOptions& options, std::span<std::byte> data) {
  constexpr std::size_t slice = std::size_t{4} << 20;
  const auto slices =
      static_cast<std::int64_t>((data.size() + slice - 1) / slice);
  options.parallel_for(slices, [&](std::int64_t k) {
    const std::size_t first = static_cast<std::size_t>(k) * slice;
    const auto some = data.subspan(first, std::min(slice, data.size() - first));
    std::ranges::fill(some, *options.fill_byte);
  });
}

ConvertJob job_of(const Input& input, const Pair& pair,
                  std::span<std::byte> data) {
  return {pair.src, pair.dst, pair.values, input.window.bytes, data};
}

// Returns how many seconds it took.
Result<double> move_all(const ConvertOptions& options,
                        const std::vector<Input>& inputs,
                        std::span<std::byte> data) {
  const auto begin = std::chrono::steady_clock::now();
  for (const Input& input : inputs) {
    for (std::size_t k = 0; k < input.plans.size(); ++k) {
      const Pair& pair = input.sides.pairs[k];
      if (options.move) {
        auto moved = options.move(job_of(input, pair, data));
        if (!moved) return unexpected(moved.error());
      } else if (!options.scales.dim.empty()) {
        auto moved = convert_scaled(pair.src, input.window.bytes.data(),
                                    pair.dst, data.data(), pair.values,
                                    options.scales, options.parallel_for);
        if (!moved) return unexpected(moved.error());
      } else {
        run_plan(input.plans[k], input.window.bytes.data(), data.data(),
                 options);
      }
      if (!input.swaps) continue;
      swap_elements(pair.dst, pair.values.dst, options, data);
    }
  }
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  return elapsed.count();
}

// Of a window its elements alone; else the memory.
std::int64_t bytes_of(const Layout& memory, const Layout& moved, bool window) {
  // No overflow: they are bits of the memory.
  return window ? ceil_div(moved.elements() * moved.element_bits(), 8)
                : memory.size_bytes();
}

ConvertReport report_of(const ConvertOptions& options,
                        const std::vector<Input>& inputs, double seconds) {
  const Input& first = inputs.front();
  const Pair& pair = first.sides.pairs.front();
  ConvertReport report{
      .src = pair.src,
      .dst = pair.dst,
      .plan = first.plans.front(),
      .type = pair.values.src,
      .to_type = pair.values.dst,
      .bytes_written = bytes_of(first.sides.dst.memory, pair.dst,
                                !options.to_window.empty()),
      .seconds = seconds};
  for (const Input& input : inputs) {
    report.bytes_read +=
        bytes_of(input.sides.src.memory, input.sides.pairs.front().src,
                 !options.from_window.empty());
    report.missing_elements += input.window.missing_elements;
    report.missing_bytes += input.missing_bytes;
  }
  return report;
}

// Writes all inputs, which are of one memory, to a new file.
Result<ConvertReport> write_output(const ConvertOptions& options,
                                   const std::vector<Input>& inputs) {
  const Side& dst = inputs.front().sides.dst;
  const Result<OutputPlace> place = place_of_output(options, dst);
  if (!place) return unexpected(place.error());
  Result<OutputFile> output =
      OutputFile::create(place->file, place->file_bytes);
  if (!output) return unexpected(output.error());
  const std::span<std::byte> bytes = output->bytes();
  const std::span<std::byte> data =
      bytes.subspan(static_cast<std::size_t>(place->data_offset),
                    static_cast<std::size_t>(dst.memory.size_bytes()));
  place->write_around(bytes);
  const bool kept_as_is = keeps(options, inputs);
  if (options.fill_byte && kept_as_is) {
    return fail(ErrorCode::mismatch,
                options.out.string() +
                    ": bytes without an element cannot both stay as they are "
                    "and be filled");
  }
  if (options.fill_byte) fill_all(options, data);
  std::int64_t file_bytes = place->file_bytes;
  if (kept_as_is) {
    const Result<std::int64_t> kept = keep_existing(
        options.out, place->array ? &*place->array : nullptr, dst.memory, data);
    if (!kept) return unexpected(kept.error());
    file_bytes += *kept - dst.memory.size_bytes();
  }
  const auto seconds = move_all(options, inputs, data);
  if (!seconds) return unexpected(seconds.error());
  if (options.before_commit) {
    auto allowed = options.before_commit(
        job_of(inputs.front(), inputs.front().sides.pairs.front(), data),
        bytes.first(static_cast<std::size_t>(file_bytes)));
    if (!allowed) return unexpected(allowed.error());
  }
  if (auto cut = output->cut_to(file_bytes); !cut) {
    return unexpected(cut.error());
  }
  if (auto committed = output->commit(options.sync); !committed) {
    return unexpected(committed.error());
  }
  return report_of(options, inputs, *seconds);
}

// The options of the file of one part: its dims one after the other, unless a layout is
// given.
Result<ConvertOptions> options_of_part(const ConvertOptions& options,
                                       const PartFile& part) {
  ConvertOptions of_part = options;
  of_part.part_files.clear();
  of_part.in = part.path;
  of_part.part = part.name;
  if (!options.from.expression.axes.empty()) return of_part;
  if (!options.shape) {
    return fail(ErrorCode::mismatch,
                "the shape of a memory that parts are written to is needed");
  }
  const Result<Layout> memory = options.to.bind(
      *options.shape, Binding{.element_bits = 8, .tables = options.tables});
  if (!memory) return unexpected(memory.error());
  Result<LayoutSource> rows = rows_of_part(*memory, part.name);
  if (!rows) return unexpected(rows.error());
  of_part.from = *std::move(rows);
  return of_part;
}

}  // namespace

Result<LayoutSource> rows_of_part(const Layout& memory,
                                  const std::string& part) {
  const Result<Layout> chosen = memory.part(part);
  if (!chosen) return unexpected(chosen.error());
  std::string text;
  for (const Dim& dim : chosen->shape()) {
    text += (text.empty() ? "" : " ") + dim.name;
  }
  LayoutSource rows;
  Result<Expression> expression = parse_expression(text.empty() ? "-" : text);
  if (!expression) return unexpected(expression.error());
  rows.expression = *std::move(expression);
  rows.spelled_dims = rows.expression.dims();
  return rows;
}

Result<ConvertReport> convert_file(const ConvertOptions& given) {
  STRIDEWISE_EXPECTS(given.parallel_for != nullptr,
                     "convert_file: a parallel_for that is not empty");
  STRIDEWISE_EXPECTS(given.fill <= Fill::keep, "convert_file: a valid Fill");
  ConvertOptions options = given;
  if (!options.to_window.empty()) options.fill = Fill::keep;
  align_dims(options.from, options.to);
  if (auto named = check_tensor_name(options.out); !named) {
    return unexpected(named.error());
  }
  std::vector<ConvertOptions> each = {options};
  if (!options.part_files.empty()) each.clear();
  for (const PartFile& part : options.part_files) {
    Result<ConvertOptions> of_part = options_of_part(options, part);
    if (!of_part) return unexpected(of_part.error());
    each.push_back(*std::move(of_part));
  }
  std::vector<Input> inputs;
  for (const ConvertOptions& one : each) {
    if (auto apart = refuse_overwrite(one.in, one.out); !apart) {
      return unexpected(apart.error());
    }
    Result<Input> input = open_input(one);
    if (!input) return unexpected(input.error());
    inputs.push_back(*std::move(input));
  }
  return write_output(options, inputs);
}

}  // namespace stridewise
