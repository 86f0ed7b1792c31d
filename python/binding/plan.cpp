// Conversions: plans, which are made once and run many times.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/element.hpp"
#include "stridewise/plan_cache.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/values.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

using Memory =
    nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using WritableMemory =
    nb::ndarray<std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// Calls body(0) .. body(count-1) on so many threads, the caller's among them.
void on_threads(int threads, std::int64_t count,
                const std::function<void(std::int64_t)>& body) {
  std::atomic<std::int64_t> next = 0;
  const auto work = [&] {
    for (std::int64_t k = next++; k < count; k = next++) body(k);
  };
  std::vector<std::jthread> others;
  const std::int64_t most = std::min<std::int64_t>(threads, count);
  for (std::int64_t k = 1; k < most; ++k) others.emplace_back(work);
  work();
}

Plan make(const Layout& src, const Layout& dst, bool keep,
          const std::optional<std::pair<std::string, std::string>>& types) {
  static PlanCache& cache = *new PlanCache;  // outlives all threads
  PlanOptions options{.fill = keep ? Fill::keep : Fill::zero};
  if (types) {
    options.values = Values{value_of(parse_element_type(types->first)),
                            value_of(parse_element_type(types->second))};
  }
  return value_of(cache.get(src, dst, options));
}

void run(const Plan& plan, const Memory& src, const WritableMemory& dst,
         int threads) {
  const auto src_bytes = static_cast<std::int64_t>(src.size());
  const auto dst_bytes = static_cast<std::int64_t>(dst.size());
  if (src_bytes < plan.src_bytes() || dst_bytes < plan.dst_bytes()) {
    throw nb::value_error("the memory is smaller than the layout");
  }
  const std::uint8_t* const from = src.data();
  std::uint8_t* const to = dst.data();
  // Addresses of different arrays are compared as numbers.
  const std::less<const std::uint8_t*> before;
  if (before(from, to + plan.dst_bytes()) &&
      before(to, from + plan.src_bytes())) {
    throw nb::value_error("out: overlaps the source");
  }
  const auto* const read = reinterpret_cast<const std::byte*>(from);
  auto* const written = reinterpret_cast<std::byte*>(to);
  const nb::gil_scoped_release others_run;
  if (threads <= 1 || !plan.uses_threads()) return plan.run(read, written);
  plan.run(read, written,
           [threads](std::int64_t count,
                     const std::function<void(std::int64_t)>& body) {
             on_threads(threads, count, body);
           });
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
  layout.def("window", &window, "ranges"_a);
  nb::class_<Plan>(module, "Plan", nb::is_final())
      .def_prop_ro("src_bytes", &Plan::src_bytes)
      .def_prop_ro("dst_bytes", &Plan::dst_bytes)
      .def("run", &run, "src"_a.noconvert(), "dst"_a.noconvert(), "threads"_a)
      .def("__str__", &Plan::to_string);
  module.def("plan", &make, "src"_a, "dst"_a, "keep"_a, "types"_a.none());
}

}  // namespace stridewise::python
