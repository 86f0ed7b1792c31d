// Files in, files out: what a user of `convert` means by two paths and two
// layouts.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <utility>

#include "base/checked.hpp"
#include "io/tensor.hpp"
#include "stridewise/io.hpp"
#include "stridewise/notation.hpp"

namespace stridewise {
namespace {

namespace fs = std::filesystem;

// A .npy array in Fortran order is the same digits with the first one fastest.
Result<Layout> fortran_order(const Layout& layout) {
  Axis axis;
  std::int64_t stride = 1;
  std::vector<Term> terms;
  for (const Axis& a : layout.expression().axes) {
    terms.insert(terms.end(), a.terms.begin(), a.terms.end());
  }
  for (std::size_t k = 0; k < terms.size(); ++k) {
    terms[k].stride = Step{Step::Kind::exact, stride};
    // No overflow: the layout is dense, so this is at most its places.
    stride *= std::max<std::int64_t>(layout.terms()[k].extent, 1);
  }
  axis.terms = std::move(terms);
  return Layout::bind(Expression{{std::move(axis)}}, layout.shape(),
                      layout.element_bytes());
}

Result<Layout> source_layout(const ConvertOptions& options,
                             const TensorFile& input, const Shape& shape,
                             const ElementType& type) {
  Result<Layout> layout = options.from.bind(shape, type.bytes());
  if (!layout) return layout;
  const auto size = static_cast<std::int64_t>(input.data().size());
  if (!options.start_byte && size != layout->size_bytes()) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("{}: has {} bytes of data, but {} of {} {} takes "
                    "{}{}",
                    options.in.string(), size, print(options.from.expression),
                    print(shape), type.name, layout->size_bytes(),
                    input.npy ? ""
                              : "; where its memory does not begin and end "
                                "with the file, say where it does: --skip, "
                                "--start"));
  }
  if (!input.npy) return layout;
  const std::vector<std::int64_t> expected = array_shape(*layout);
  const bool flat = input.npy->shape.size() == 1;
  if (!flat && input.npy->shape != expected) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("{}: an array of {}, but the layout's digits are "
                    "{}",
                    options.in.string(), print_extents(input.npy->shape),
                    print_extents(expected)));
  }
  if (!input.npy->fortran_order || flat) return layout;
  // Where the array has one dim an axis, its dims are not the digits.
  if (expected.size() != layout->terms().size()) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: Fortran order of a layout with gaps; save the "
                            "array in C order",
                            options.in.string()));
  }
  return fortran_order(*layout);
}

Result<void> refuse_overwrite(const fs::path& in, const fs::path& out) {
  std::error_code ignored;
  if (fs::equivalent(in, out, ignored)) {
    return fail(ErrorCode::io,
                out.string() + ": is the input; it is not overwritten");
  }
  return {};
}

// Copies what an existing `out` holds into the new file's data, so that the
// bytes without an element stay. Its .npy header may be spelt in another way,
// but must say the same.
Result<void> keep_existing(const fs::path& out, const NpyHeader* header,
                           std::span<std::byte> data) {
  std::error_code none;
  if (!fs::exists(out, none)) return {};
  const Result<TensorFile> old = open_tensor(out);
  if (!old) return unexpected(old.error());
  const bool same =
      old->data().size() == data.size() &&
      (header == nullptr ||
       (old->npy->type == header->type && old->npy->shape == header->shape &&
        !old->npy->big_endian &&
        (!old->npy->fortran_order || header->shape.size() < 2)));
  if (!same) {
    return fail(
        ErrorCode::mismatch,
        fmt::format("{}: its gaps can be kept only where it holds this "
                    "layout already: {} bytes of data{}; it has {}",
                    out.string(), data.size(),
                    header == nullptr
                        ? std::string()
                        : ", an array of " + print_extents(header->shape),
                    old->data().size()));
  }
  if (!data.empty()) std::memcpy(data.data(), old->data().data(), data.size());
  return {};
}

void swap_bytes(std::byte* value, std::int64_t bytes) {
  std::reverse(value, value + bytes);
}

// Turns big-endian elements in `data` into little-endian ones. Zeros may be
// swapped with the rest; bytes that are kept may not.
void swap_elements(const Layout& layout, const ElementType& type,
                   const ConvertOptions& options, std::span<std::byte> data) {
  const std::int64_t part = type.kind == ElementKind::complex_floating
                                ? type.bytes() / 2
                                : type.bytes();
  constexpr std::int64_t slice = 1 << 16;
  const auto swap_slice = [&](std::int64_t task) {
    std::vector<std::int64_t> index(layout.shape().size());
    const std::int64_t end = std::min((task + 1) * slice, layout.places());
    for (std::int64_t place = task * slice; place < end; ++place) {
      if (options.fill == Fill::keep &&
          layout.element_at(place, index) != Place::element) {
        continue;
      }
      std::byte* element = data.data() + place * type.bytes();
      for (std::int64_t at = 0; at < type.bytes(); at += part) {
        swap_bytes(element + at, part);
      }
    }
  };
  options.parallel_for(ceil_div(layout.places(), slice), swap_slice);
}

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

}  // namespace

Result<Shape> shape_of_array(const TensorFile& file, const LayoutSource& from) {
  const NpyHeader& npy = *file.npy;
  std::vector<std::string> loops;
  bool plain = true;
  for (const Axis& axis : from.expression.axes) {
    plain = plain && axis.base == 0 && axis.pitch == Step{};
    for (const Term& term : axis.terms) {
      plain = plain && term == Term{Digit{term.digit.dim}, {}};
      loops.push_back(term.digit.dim);
    }
  }
  if (!plain) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: the array alone does not tell the extents of "
                            "a padded or strided layout; give --shape",
                            file.path.string()));
  }
  if (loops.size() != npy.shape.size()) {
    return fail(ErrorCode::mismatch,
                fmt::format("{}: an array of {} dims ({}) for a layout of {}",
                            file.path.string(), npy.shape.size(),
                            print_extents(npy.shape), loops.size()));
  }
  Shape shape;
  for (const std::string& dim : dims_of(from)) {
    const auto at = std::ranges::find(loops, dim);
    if (at == loops.end()) continue;
    shape.push_back(
        {dim, npy.shape[static_cast<std::size_t>(at - loops.begin())]});
  }
  return shape;
}

Result<ConvertReport> convert_file(const ConvertOptions& given) {
  ConvertOptions options = given;
  align_dims(options.from, options.to);
  if (auto named = check_tensor_name(options.out); !named) {
    return unexpected(named.error());
  }
  if (auto apart = refuse_overwrite(options.in, options.out); !apart) {
    return unexpected(apart.error());
  }
  Result<TensorFile> input = open_tensor(options.in);
  if (!input) return unexpected(input.error());
  const Result<ElementType> type = type_of(*input, options.type);
  if (!type) return unexpected(type.error());
  Result<Shape> shape = Shape{};
  if (options.shape) {
    shape = *options.shape;
  } else if (input->npy) {
    shape = shape_of_array(*input, options.from);
  } else {
    shape = fail(ErrorCode::mismatch,
                 options.in.string() + ": a raw file needs --shape");
  }
  if (!shape) return unexpected(shape.error());
  const Result<Layout> src = source_layout(options, *input, *shape, *type);
  if (!src) return unexpected(src.error());
  const Result<MemoryWindow> window =
      memory_window(*input, *src, options.start_byte);
  if (!window) return unexpected(window.error());
  if (options.to_type && input->npy && input->npy->big_endian) {
    return fail(ErrorCode::unsupported,
                fmt::format("{}: big-endian values are not converted; convert "
                            "their byte order first, without another type",
                            options.in.string()));
  }
  const ElementType to_type = options.to_type.value_or(*type);
  const Result<Layout> dst = options.to.bind(*shape, to_type.bytes());
  if (!dst) return unexpected(dst.error());

  // A fresh file is zeros already; an old one keeps what it has.
  PlanOptions plan_options{.fill = Fill::keep};
  if (options.to_type) {
    plan_options.values = Values{*type, to_type, options.quantisation};
  }
  const Result<Plan> plan = Plan::make(*src, *dst, plan_options);
  if (!plan) return unexpected(plan.error());
  std::string header =
      is_npy(options.out) ? make_npy_header(to_type, array_shape(*dst)) : "";
  const Checked size =
      add(static_cast<std::int64_t>(header.size()), dst->size_bytes());
  if (!size) return fail(ErrorCode::overflow, "the output overflows 64 bits");
  Result<OutputFile> output = OutputFile::create(options.out, *size);
  if (!output) return unexpected(output.error());
  const std::span<std::byte> bytes = output->bytes();
  const std::span<std::byte> data = bytes.subspan(header.size());
  if (!header.empty()) std::memcpy(bytes.data(), header.data(), header.size());
  if (options.fill == Fill::keep) {
    const Result<NpyHeader> parsed = parse_npy_header(bytes);
    auto kept =
        keep_existing(options.out, header.empty() ? nullptr : &*parsed, data);
    if (!kept) return unexpected(kept.error());
  }

  const auto begin = std::chrono::steady_clock::now();
  const ConvertJob job{*src, *dst, Values{*type, to_type, options.quantisation},
                       window->bytes, data};
  if (options.move) {
    auto moved = options.move(job);
    if (!moved) return unexpected(moved.error());
  } else {
    run_plan(*plan, window->bytes.data(), data.data(), options);
  }
  if (input->npy && input->npy->big_endian) {
    swap_elements(*dst, *type, options, data);
  }
  const std::chrono::duration<double> elapsed =
      std::chrono::steady_clock::now() - begin;
  if (options.before_commit) {
    if (auto allowed = options.before_commit(job, bytes); !allowed) {
      return unexpected(allowed.error());
    }
  }
  if (auto committed = output->commit(); !committed) {
    return unexpected(committed.error());
  }
  return ConvertReport{.src = *src,
                       .dst = *dst,
                       .plan = *plan,
                       .type = *type,
                       .to_type = to_type,
                       .bytes_read = src->size_bytes(),
                       .bytes_written = dst->size_bytes(),
                       .missing_elements = window->missing_elements,
                       .seconds = elapsed.count()};
}

}  // namespace stridewise
