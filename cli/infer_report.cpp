// SPDX-License-Identifier: Apache-2.0
#include "infer_report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stridewise::cli {

std::string window_option(const InferFit& fit) {
  if (fit.start_byte > 0 || fit.missing_bytes > 0) {
    // Bytes before the memory and none at its end: one option tells both.
    return fit.start_byte < 0 ? fmt::format(" --skip {}", -fit.start_byte)
                              : fmt::format(" --start {}", fit.start_byte);
  }
  return fit.start_byte < 0 || fit.trailing_bytes > 0
             ? fmt::format(" --skip {}", -fit.start_byte)
             : "";
}

namespace {

// Whether `decode` takes the dump for bytes, as infer() does: an array says more
// of itself.
bool decodes(const InferFit& fit, const Told& told) {
  const std::optional<NpyHeader>& npy = told.dump.npy;
  if (!npy) return true;
  if (!type_of(told.dump, told.type)) return false;
  if (npy->shape.size() == 1) return true;
  return !npy->fortran_order && fit.start_byte == 0 &&
         fit.trailing_bytes == 0 && fit.missing_bytes == 0 &&
         npy->shape == array_shape(fit.layout);
}

// The command that makes an array of the dump, as it is to be typed; empty where
// there is none.
std::string decode_command(const InferFit& fit, const Told& told) {
  if (!decodes(fit, told)) return "";
  return fmt::format(
      "stridewise decode {} {} --from {} --shape {} --dtype {}{}{}",
      shell_file(told.dump.path.string()), told.out,
      shell_word(print(fit.layout.expression())), shell_word(told.shape),
      told.type.name,
      told.byte_order.empty() ? "" : " --byte-order " + told.byte_order,
      window_option(fit));
}

Json fit_json(const InferFit& fit) {
  return {{"expression", print(fit.layout.expression())},
          {"name", fit.names.empty() ? Json(nullptr) : Json(fit.names[0])},
          {"names", fit.names},
          {"names_at_base", fit.names_at_base},
          {"base_bytes", fit.base_bytes},
          {"size_bytes", fit.layout.size_bytes()},
          {"start_byte", fit.start_byte},
          {"trailing_bytes", fit.trailing_bytes},
          {"missing_bytes", fit.missing_bytes}};
}

// Of one that fits.
Json fit_json(const InferFit& fit, const Told& told) {
  Json json = fit_json(fit);
  const std::string command = decode_command(fit, told);
  json["decode"] = command.empty() ? Json(nullptr) : Json(command);
  return json;
}

std::string fit_text(const InferFit& fit) {
  std::string text = print(fit.layout.expression()) + "\n";
  for (std::size_t k = 0; k < std::min<std::size_t>(fit.names.size(), 6); ++k) {
    text +=
        fmt::format("  {}      {}\n", k == 0 ? "name" : "also", fit.names[k]);
  }
  if (!fit.names_at_base.empty()) {
    text += fmt::format("  which is  {}, {} bytes into the dump\n",
                        fit.names_at_base[0], fit.base_bytes);
  }
  if (fit.start_byte > 0) {
    text +=
        fmt::format("  start     the dump begins with byte {} of this memory\n",
                    fit.start_byte);
  }
  if (fit.start_byte < 0) {
    text += fmt::format("  start     {} bytes of the dump come before\n",
                        -fit.start_byte);
  }
  if (fit.trailing_bytes > 0) {
    text += fmt::format("  end       {} bytes of the dump come after\n",
                        fit.trailing_bytes);
  }
  if (fit.missing_bytes > 0) {
    text += fmt::format("  end       the dump lacks the last {} bytes\n",
                        fit.missing_bytes);
  }
  return text;
}

}  // namespace

Json report_json(const InferReport& report, const Shape& shape,
                 const ElementType& type, const Told& told) {
  Json json = {{"outcome", outcome_name(report.outcome)},
               {"unique", report.outcome == InferReport::Outcome::one}};
  if (report.fits.empty()) {
    json["expression"] = nullptr;
    json["name"] = nullptr;
  } else {
    json.update(fit_json(report.fits[0], told));
  }
  Json fits = Json::array();
  Json details = Json::array();
  for (const InferFit& fit : report.fits) {
    fits.push_back(print(fit.layout.expression()));
    details.push_back(fit_json(fit, told));
  }
  json["fits"] = std::move(fits);
  json["fit_details"] = std::move(details);
  json["shape"] = print(shape);
  json["dtype"] = type.name;
  json["elements"] = report.elements;
  json["present"] = report.present;
  json["matching"] = report.matching;
  json["best"] = report.best ? fit_json(*report.best) : Json(nullptr);
  json["first_break"] =
      report.first_break ? named(shape, *report.first_break) : Json(nullptr);
  if (report.outcome == InferReport::Outcome::none) {
    json["distinct"] = report.distinct;
  }
  if (!report.reason.empty()) json["reason"] = report.reason;
  if (!told.assumed.empty()) json["assumed"] = told.assumed;
  return json;
}

namespace {

std::string outcome_text(const InferReport& report, const Shape& shape,
                         const Told& told) {
  switch (report.outcome) {
    case InferReport::Outcome::one:
    case InferReport::Outcome::unproven: {
      std::string text = fit_text(report.fits[0]);
      if (report.present < report.elements) {
        text +=
            fmt::format("  elements  {} of {} are in the dump, {}\n",
                        report.present, report.elements,
                        report.matching == report.present
                            ? "all right"
                            : fmt::format("{} of them right", report.matching));
      }
      if (report.outcome == InferReport::Outcome::unproven) {
        text +=
            fmt::format("  maybe     not the only one: {}{}\n", report.reason,
                        report.reason != "values repeat"
                            ? ""
                            : " (stridewise probe makes values that\n"
                              "            do not)");
      }
      const std::string command = decode_command(report.fits[0], told);
      return command.empty() ? text : text + "  read it   " + command + "\n";
    }
    case InferReport::Outcome::several: {
      std::string text = fmt::format(
          "several fit, because {} (stridewise probe makes values that do "
          "not):\n",
          report.reason);
      for (const InferFit& fit : report.fits) text += fit_text(fit);
      return text;
    }
    case InferReport::Outcome::none: {
      std::string text = report.reason + "\n";
      if (report.best) {
        text += "  nearest   " + print(report.best->layout.expression()) + "\n";
      }
      if (report.first_break) {
        text += fmt::format("  breaks    at {}\n",
                            print_index(shape, *report.first_break));
      }
      return text;
    }
    case InferReport::Outcome::unknowable:
      return "cannot know: " + report.reason + "\n";
  }
  return "";
}

}  // namespace

std::string report_text(const InferReport& report, const Shape& shape,
                        const Told& told) {
  std::string text = outcome_text(report, shape, told);
  if (!told.values.empty()) text += "  values    " + told.values + "\n";
  const bool layouts = !report.fits.empty() || report.best;
  if (layouts && !told.assumed.empty()) {
    text += "  assumed   " + told.assumed + "\n";
  }
  return text;
}

}  // namespace stridewise::cli
