// SPDX-License-Identifier: Apache-2.0
#include "infer_values.hpp"

#include <fmt/format.h>

namespace stridewise::cli {

using Agreement = TypedReport::Agreement;

std::string values_text(const TypedReport& typed, const TypedOptions& options) {
  if (typed.report.fits.empty()) return "";
  const std::string types =
      options.reference == options.dump
          ? std::string(options.dump.name)
          : fmt::format("{} of the reference as {}", options.reference.name,
                        options.dump.name);
  const std::string counts =
      fmt::format("{} of {} equal, {} within ", typed.equal,
                  typed.report.present, typed.report.matching);
  switch (typed.agreement) {
    case Agreement::same:
    case Agreement::bits:
      return "";
    case Agreement::rounded:
      return types + ": all equal";
    case Agreement::near:
      return fmt::format("{}: {}{:.3g} + {:.3g} * |reference|", types, counts,
                         typed.atol, typed.rtol);
    case Agreement::quantised:
      return fmt::format("{}: scale {:.6g}, zero point {}; {}a step", types,
                         typed.quantisation.scale,
                         typed.quantisation.zero_point, counts);
  }
  return "";
}

Json values_json(const TypedReport& typed, const TypedOptions& options) {
  Json json = Json::object();
  if (typed.report.fits.empty() || typed.agreement == Agreement::same ||
      typed.agreement == Agreement::bits) {
    return json;
  }
  json["equal"] = typed.equal;
  json["reference_dtype"] = options.reference.name;
  if (typed.agreement == Agreement::near) {
    json["rtol"] = typed.rtol;
    json["atol"] = typed.atol;
  } else if (typed.agreement == Agreement::quantised) {
    json["scale"] = double{typed.quantisation.scale};
    json["zero_point"] = typed.quantisation.zero_point;
  }
  return json;
}

}  // namespace stridewise::cli
