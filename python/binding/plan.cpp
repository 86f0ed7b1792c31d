// Conversions: plans, which are made once and run many times.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/element.hpp"
#include "stridewise/io.hpp"
#include "stridewise/plan_cache.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/threads.hpp"
#include "stridewise/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

// How an array of NumPy looks that is memory of a layout as it is: the format of its
// elements in the buffer protocol, and its shape; a flat one has all of its bytes.
struct Look {
  std::string format;
  std::vector<std::int64_t> shape;
  std::int64_t bytes = 0;
};

// A plan, and the arrays that it takes without more questions. No formats: it asks.
struct BoundPlan {
  Plan plan;
  Look src, dst;
};

// The memory of an array while it is looked at.
class Buffer {
 public:
  Buffer(nb::handle array, int flags)
      : held_(PyObject_GetBuffer(array.ptr(), &view_, flags) == 0) {
    if (!held_) PyErr_Clear();
  }
  ~Buffer() {
    if (held_) PyBuffer_Release(&view_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  Buffer(Buffer&&) = delete;
  Buffer& operator=(Buffer&&) = delete;

  [[nodiscard]] bool is(const Look& look) const {
    if (!held_ || view_.len != look.bytes || view_.format == nullptr ||
        look.format != view_.format) {
      return false;
    }
    return view_.ndim == 1 || std::equal(look.shape.begin(), look.shape.end(),
                                         view_.shape, view_.shape + view_.ndim);
  }
  [[nodiscard]] std::byte* data() const {
    return static_cast<std::byte*>(view_.buf);
  }

 private:
  Py_buffer view_{};
  bool held_;
};

// `kept`: whether the plan is remembered, which is worth it for layouts without tables.
BoundPlan make(const Layout& src, const Layout& dst, bool keep, bool kept,
               const std::optional<std::pair<std::string, std::string>>& types,
               const std::string& src_format, const std::string& dst_format) {
  static PlanCache& cache = *new PlanCache;  // outlives all threads
  PlanOptions options{.fill = keep ? Fill::keep : Fill::zero};
  if (types) {
    options.values = Values{value_of(parse_element_type(types->first)),
                            value_of(parse_element_type(types->second))};
  }
  const nb::gil_scoped_release others_run;
  return {value_of(kept ? cache.get(src, dst, options)
                        : Plan::make(src, dst, options)),
          {src_format, array_shape(src), src.size_bytes()},
          {dst_format, array_shape(dst), dst.size_bytes()}};
}

bool overlap(const Plan& plan, const void* src, const void* dst) {
  const auto* const from = static_cast<const std::byte*>(src);
  const auto* const to = static_cast<const std::byte*>(dst);
  // Addresses of different arrays are compared as numbers.
  const std::less<const std::byte*> before;
  return before(from, to + plan.dst_bytes()) &&
         before(to, from + plan.src_bytes());
}

// Runs the plan if it takes both arrays of NumPy as they are; false: ask what is wrong.
bool run_arrays(const BoundPlan& bound, nb::handle src, nb::handle dst) {
  if (bound.src.format.empty() || bound.dst.format.empty()) return false;
  constexpr int contiguous = PyBUF_C_CONTIGUOUS | PyBUF_FORMAT;
  const Buffer from(src, contiguous);
  const Buffer to(dst, contiguous | PyBUF_WRITABLE);
  if (!from.is(bound.src) || !to.is(bound.dst) ||
      overlap(bound.plan, from.data(), to.data())) {
    return false;
  }
  const nb::gil_scoped_release others_run;
  bound.plan.run(from.data(), to.data());
  return true;
}

void run(const BoundPlan& bound, const Memory& src, const WritableMemory& dst,
         int threads) {
  const Plan& plan = bound.plan;
  const auto src_bytes = static_cast<std::int64_t>(src.size());
  const auto dst_bytes = static_cast<std::int64_t>(dst.size());
  if (src_bytes < plan.src_bytes() || dst_bytes < plan.dst_bytes()) {
    throw nb::value_error("the memory is smaller than the layout");
  }
  if (overlap(plan, src.data(), dst.data())) {
    throw nb::value_error("out: overlaps the source");
  }
  const auto* const read = reinterpret_cast<const std::byte*>(src.data());
  auto* const written = reinterpret_cast<std::byte*>(dst.data());
  const nb::gil_scoped_release others_run;
  if (threads <= 1 || !plan.uses_threads()) return plan.run(read, written);
  plan.run(read, written, make_parallel_for(threads));
}

Layout window(const Layout& layout,
              const std::map<std::string,
                             std::pair<std::int64_t, std::int64_t>>& ranges) {
  std::vector<Slice> slices;
  for (const auto& [dim, range] : ranges) {
    slices.push_back({dim, range.first, range.second});
  }
  return value_of(layout.window(slices));
}

}  // namespace

void bind_plan(nb::module_& module, LayoutClass& layout) {
  layout.def("window", &window, "ranges"_a)
      .def(
          "row_major",
          [](const Layout& l, std::int64_t element_bits) {
            return value_of(row_major(l, element_bits));
          },
          "element_bits"_a);
  nb::class_<BoundPlan>(module, "Plan", nb::is_final())
      .def("run", &run, "src"_a.noconvert(), "dst"_a.noconvert(), "threads"_a)
      .def("run_arrays", &run_arrays, "src"_a, "dst"_a)
      .def("__str__", [](const BoundPlan& p) { return p.plan.to_string(); });
  module.def("plan", &make, "src"_a, "dst"_a, "keep"_a, "kept"_a,
             "types"_a.none(), "src_format"_a = "", "dst_format"_a = "");
}

}  // namespace stridewise::python
