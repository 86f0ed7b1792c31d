// Two memories, one memory, and the layout that left a memory: reports as dicts.
// SPDX-License-Identifier: Apache-2.0
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "errors.hpp"
#include "module.hpp"
#include "stridewise/diff.hpp"
#include "stridewise/element.hpp"
#include "stridewise/infer.hpp"
#include "stridewise/notation.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace stridewise::python {
namespace {

// Fields of a report by name.
using Fields = nb::typed<nb::dict, nb::str, nb::any>;
using Arrays =
    nb::typed<nb::list, nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>>;

std::span<const std::byte> bytes_of(const Memory& memory) {
  return {reinterpret_cast<const std::byte*>(memory.data()), memory.size()};
}

nb::object difference(const std::optional<Difference>& found) {
  if (!found) return nb::none();
  nb::dict told;
  told["index"] = found->index;
  told["byte_a"] = found->byte_a;
  told["byte_b"] = found->byte_b;
  told["a"] = found->a_text;
  told["b"] = found->b_text;
  told["abs"] = found->abs;
  told["rel"] = found->rel;
  told["ulp"] = found->ulp;
  return told;
}

nb::dict counts(const std::vector<DiffCounts>& all) {
  nb::dict told;
  for (const DiffCounts& dim : all) {
    nb::list numbers;
    for (const std::int64_t count : dim.counts) numbers.append(count);
    told[dim.name.c_str()] = numbers;
  }
  return told;
}

Fields diff_of(const Layout& a, const Memory& a_bytes, const Layout& b,
               const Memory& b_bytes, const std::string& type,
               const std::string& type_b, std::optional<double> rtol,
               std::optional<double> atol, std::optional<std::int64_t> ulp,
               const std::string& scale_dim,
               const std::vector<std::pair<double, std::int32_t>>& scales) {
  DiffOptions options{.type = value_of(parse_element_type(type)),
                      .tolerance = {},
                      .passed = {},
                      .first_byte_a = 0,
                      .first_byte_b = 0,
                      .type_b = value_of(parse_element_type(type_b)),
                      .scales_a = {},
                      .scales_b = {}};
  // Of the side that is integers.
  Scales& scaled =
      options.type.is_integer() ? options.scales_a : options.scales_b;
  scaled.dim = scale_dim;
  for (const auto& [scale, zero_point] : scales) {
    scaled.each.push_back({static_cast<float>(scale), zero_point});
  }
  options.tolerance =
      rtol || atol || ulp
          ? Tolerance{rtol.value_or(0), atol.value_or(0), ulp.value_or(-1)}
          : tolerance_between(options);
  Result<DiffReport> made = DiffReport{};
  {
    const nb::gil_scoped_release others_run;
    made = diff(a, bytes_of(a_bytes), b, bytes_of(b_bytes), options);
  }
  const DiffReport report = value_of(std::move(made));
  nb::dict told;
  told["elements"] = report.elements;
  told["differences"] = report.differences;
  told["compared_as"] = std::string(report.compared.name);
  told["rtol"] = options.tolerance.rtol;
  told["atol"] = options.tolerance.atol;
  told["infinite"] = report.infinite;
  told["nan_a"] = report.nan_a;
  told["nan_b"] = report.nan_b;
  told["max_abs"] = report.max_abs;
  told["max_rel"] = report.max_rel;
  told["max_ulp"] = report.max_ulp;
  told["first"] = difference(report.first);
  told["worst"] = difference(report.worst);
  told["by_dim"] = counts(report.by_dim);
  told["by_axis"] = counts(report.by_axis);
  told["findings"] = report.findings;
  return told;
}

Fields check_of(const Layout& layout, const Memory& memory,
                const std::string& type) {
  const ElementType element = value_of(parse_element_type(type));
  Result<CheckReport> made = CheckReport{};
  {
    const nb::gil_scoped_release others_run;
    made = check_memory(layout, bytes_of(memory), element);
  }
  const CheckReport report = value_of(std::move(made));
  nb::dict told;
  told["elements"] = report.elements;
  told["padding"] = report.padding;
  told["padding_in_bits"] = report.in_bits;
  told["padding_nonzero"] = report.padding_nonzero;
  told["nan"] = report.nan;
  told["inf"] = report.inf;
  told["first_nan"] = report.first_nan;
  told["first_inf"] = report.first_inf;
  nb::list leaks;
  for (const LeakReport& leak : report.leaks) {
    nb::dict one;
    one["byte"] = leak.byte;
    one["count"] = leak.count;
    one["holds"] = leak.holds;
    leaks.append(one);
  }
  told["leaks"] = leaks;
  nb::list sets;
  for (const LeakSet& set : report.leak_sets) {
    nb::dict one;
    one["indices"] = set.indices;
    one["byte"] = set.byte;
    one["count"] = set.count;
    one["of"] = set.of;
    one["runs"] = set.runs;
    sets.append(one);
  }
  told["leak_sets"] = sets;
  told["nan_indices"] = report.nan_indices;
  told["inf_indices"] = report.inf_indices;
  told["leak_runs"] = report.leak_runs;
  told["findings"] = report.findings;
  return told;
}

Shape shape_of(const std::vector<std::pair<std::string, std::int64_t>>& dims) {
  Shape shape;
  for (const auto& [name, extent] : dims) shape.push_back({name, extent});
  return shape;
}

nb::dict fit_of(const InferFit& fit) {
  nb::dict told;
  told["notation"] = print(fit.layout.expression());
  told["names"] = fit.names;
  told["start_byte"] = fit.start_byte;
  told["trailing_bytes"] = fit.trailing_bytes;
  told["missing_bytes"] = fit.missing_bytes;
  return told;
}

// How the values of a fit belong together.
const char* agreement_name(TypedReport::Agreement agreement) {
  switch (agreement) {
    case TypedReport::Agreement::same:
      return "equal";
    case TypedReport::Agreement::rounded:
      return "equal as the dump's type";
    case TypedReport::Agreement::bits:
      return "the same bits";
    case TypedReport::Agreement::near:
      return "within the tolerance";
    case TypedReport::Agreement::quantised:
      return "quantised";
  }
  return "";
}

// `record`: bytes, place and bytes of the part; -1 for what is not told.
Fields infer_of(const std::vector<Memory>& references,
                const std::vector<Memory>& dumps,
                const std::vector<std::pair<std::string, std::int64_t>>& dims,
                bool positional, const std::string& type,
                const std::string& dump_type, double rtol, double atol,
                std::int64_t element_bytes, std::int64_t packed_bits,
                const std::optional<std::vector<std::int64_t>>& record) {
  std::vector<InferPair> pairs;
  for (std::size_t k = 0; k < references.size() && k < dumps.size(); ++k) {
    pairs.push_back({bytes_of(references[k]), bytes_of(dumps[k])});
  }
  InferOptions options{.shape = shape_of(dims),
                       .element_bytes = element_bytes,
                       .positional = positional};
  options.packed_bits = packed_bits;
  if (record) {
    options.record = InferRecord{.bytes = record->at(0),
                                 .place = record->at(1),
                                 .part_bytes = record->at(2)};
  }
  const TypedOptions typed{.infer = options,
                           .reference = value_of(parse_element_type(type)),
                           .dump = value_of(parse_element_type(dump_type)),
                           .rtol = rtol,
                           .atol = atol};
  Result<TypedReport> made = TypedReport{};
  {
    const nb::gil_scoped_release others_run;
    made = infer_typed(pairs, typed);
  }
  const TypedReport found = value_of(std::move(made));
  const InferReport& report = found.report;
  nb::dict told;
  told["outcome"] = std::string(outcome_name(report.outcome));
  nb::list fits;
  for (const InferFit& fit : report.fits) fits.append(fit_of(fit));
  told["fits"] = fits;
  told["nearest"] = report.best ? nb::object(fit_of(*report.best)) : nb::none();
  told["elements"] = report.elements;
  told["present"] = report.present;
  told["matching"] = report.matching;
  told["first_break"] = report.first_break;
  told["reason"] = report.reason;
  const bool has_fit = !report.fits.empty();
  const bool quantised = found.agreement == TypedReport::Agreement::quantised;
  told["agreement"] = has_fit ? agreement_name(found.agreement) : "";
  told["equal"] = has_fit ? found.equal : 0;
  told["scale"] = has_fit && quantised
                      ? nb::object(nb::float_(found.quantisation.scale))
                      : nb::none();
  told["zero_point"] = has_fit && quantised
                           ? nb::object(nb::int_(found.quantisation.zero_point))
                           : nb::none();
  return told;
}

// The files of a probe, each with all elements in logical order.
Arrays probe_of(const std::vector<std::pair<std::string, std::int64_t>>& dims,
                const std::string& type) {
  const ElementType element = value_of(parse_element_type(type));
  const Probe probe = value_of(Probe::make(shape_of(dims), element));
  nb::list files;
  for (int k = 0; k < probe.files(); ++k) {
    const auto size =
        static_cast<std::size_t>(probe.elements() * element.bytes());
    std::unique_ptr<std::uint8_t[]> bytes(new std::uint8_t[size]);
    {
      const nb::gil_scoped_release others_run;
      probe.fill(k, 0, probe.elements(),
                 reinterpret_cast<std::byte*>(bytes.get()));
    }
    const nb::capsule owner = capsule_of(std::move(bytes));
    files.append(nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<1>>(
        owner.data(), {size}, owner));
  }
  return files;
}

}  // namespace

void bind_inspect(nb::module_& module) {
  module.def("diff", &diff_of, "a"_a, "a_bytes"_a.noconvert(), "b"_a,
             "b_bytes"_a.noconvert(), "dtype"_a, "dtype_b"_a, "rtol"_a.none(),
             "atol"_a.none(), "ulp"_a.none(), "scale_dim"_a, "scales"_a);
  module.def("check", &check_of, "layout"_a, "memory"_a.noconvert(), "dtype"_a);
  module.def("infer", &infer_of, "references"_a, "dumps"_a, "dims"_a,
             "positional"_a, "dtype"_a, "dump_dtype"_a, "rtol"_a, "atol"_a,
             "element_bytes"_a, "packed_bits"_a, "record"_a.none());
  module.def("probe", &probe_of, "dims"_a, "dtype"_a);
}

}  // namespace stridewise::python
