// A tensor, and families of the catalogue -> ranked candidates.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

#include "advise/candidates.hpp"
#include "advise/facts.hpp"
#include "advise/price.hpp"
#include "advise/rank.hpp"
#include "advise/tiles.hpp"
#include "machine/text.hpp"
#include "stridewise/notation.hpp"
#include "stridewise/suggest.hpp"

namespace stridewise {
namespace {

using advising::Family;
using advising::Pricer;

bool same_dims(std::vector<std::string> dims, const Shape& shape) {
  std::vector<std::string> names;
  for (const Dim& dim : shape) names.push_back(dim.name);
  std::ranges::sort(dims);
  std::ranges::sort(names);
  return dims == names;
}

// Whether two layouts of one shape put all in the same places, by the same digits.
bool same_places(const Layout& a, const Layout& b) {
  if (!a.plain() || !b.plain() || a.size_bits() != b.size_bits() ||
      !std::ranges::equal(a.axes(), b.axes(), {}, &BoundAxis::name,
                          &BoundAxis::name) ||
      a.base_offset() != b.base_offset()) {
    return false;
  }
  using Digit = std::tuple<std::string, std::int64_t, std::int64_t,
                           std::int64_t, std::int64_t, std::int32_t>;
  const auto digits = [](const Layout& layout) {
    std::set<Digit> all;
    for (const BoundTerm& term : layout.terms()) {
      if (term.extent < 2) continue;
      all.emplace(layout.shape()[static_cast<std::size_t>(term.dim)].name,
                  term.bias, term.div, term.mod, term.flat_stride, term.axis);
    }
    return all;
  };
  return digits(a) == digits(b);
}

// Candidates of all families; of each entry the best.
class Adviser {
 public:
  Adviser(const Shape& shape, std::int64_t element_bits,
          const AdviseOptions& options, const Catalogue& names)
      : shape_(shape),
        bits_(element_bits),
        options_(options),
        unpriced_(options),
        names_(names) {
    unpriced_.from.reset();
  }

  Result<Advice> run() {
    if (auto checked = check(); !checked) return unexpected(checked.error());
    // Also where nothing has a price.
    if (const auto machine = machine_of(options_.machine); !machine) {
      return unexpected(machine.error());
    }
    if (auto added = add_families(); !added) return unexpected(added.error());
    if (advice_.candidates.empty()) return none();
    if (auto checked = check_axes(options_.chip, advice_.candidates);
        !checked) {
      return unexpected(checked.error());
    }
    if (options_.from) {
      if (auto priced = price(); !priced) return unexpected(priced.error());
    }
    advising::rank(advice_.candidates, options_.weights);
    return std::move(advice_);
  }

 private:
  // What no layout could change.
  [[nodiscard]] Result<void> check() const {
    for (const double weight : options_.weights) {
      if (!(weight >= 0) || std::isinf(weight)) {
        return fail(ErrorCode::invalid_value,
                    fmt::format("a weight of {}", weight));
      }
    }
    Access access = options_.access;
    access.vector_lanes = std::max<std::int64_t>(access.vector_lanes, 1);
    if (auto checked = advising::check_access(shape_, access); !checked) {
      return checked;
    }
    const auto box = advising::box_of(shape_, access);
    return box ? Result<void>() : unexpected(box.error());
  }

  Result<void> add_families() {
    std::vector<std::string> texts = options_.families;
    if (texts.empty()) texts.emplace_back();
    for (const std::string& text : texts) {
      const Result<Family> family = advising::read_family(text);
      if (!family) return unexpected(family.error());
      if (auto added = add(*family, text); !added) return added;
    }
    return {};
  }

  Result<void> add(const Family& family, const std::string& text) {
    bool known = false;
    std::set<std::string> params;
    for (const Catalogue* const names : {&names_, &advising::tiles()}) {
      for (const CatalogueEntry& entry : *names) {
        if (!family.has(entry)) continue;
        known = true;
        for (const CatalogueParam& param : entry.params) {
          params.insert(param.name);
        }
        if (!entry.dims.empty() && !same_dims(entry.dims, shape_)) continue;
        if (auto added = add(entry, family, *names); !added) return added;
      }
    }
    if (!known) return unknown_family(text, family);
    for (const auto& [name, value] : family.arguments) {
      if (!params.contains(name)) {
        return fail(ErrorCode::unknown_name,
                    fmt::format("no layout of '{}' has a parameter '{}'",
                                family.name, name));
      }
    }
    return {};
  }

  // The best of one entry.
  Result<void> add(const CatalogueEntry& entry, const Family& family,
                   const Catalogue& names) {
    const auto texts = advising::texts_of(entry, family, shape_, bits_);
    if (!texts) {
      advice_.left_out.push_back({entry.name, texts.error().message});
      return {};
    }
    std::vector<Candidate> all;
    std::string why;
    for (const std::string& text : *texts) {
      const Result<LayoutSource> source = resolve_layout(text, {}, names);
      if (!source) {
        why = source.error().message;
        continue;
      }
      if (!same_dims(source->dims, shape_)) continue;
      Result<Candidate> candidate = assess(*source, shape_, bits_, unpriced_);
      if (candidate) {
        candidate->name =
            &names == &advising::tiles() ? written(*source) : text;
        all.push_back(*std::move(candidate));
      } else if (why.empty()) {
        why = candidate.error().message;
        if (why.starts_with(entry.name + ": ")) {
          why.erase(0, entry.name.size() + 2);
        }
      }
    }
    advice_.tried += std::ssize(*texts);
    if (all.empty()) {
      if (texts->empty()) why = "its tries have no value";
      if (!why.empty()) advice_.left_out.push_back({entry.name, why});
      return {};
    }
    // Texts of their own are layouts of their own.
    if (entry.tries.empty()) {
      advising::rank(all, options_.weights);
      all.erase(all.begin() + 1, all.end());
    }
    for (Candidate& candidate : all) add(std::move(candidate));
    return {};
  }

  // What has no name is called as it is written.
  [[nodiscard]] std::string written(const LayoutSource& source) const {
    return print(*source.expression_for(shape_, {.element_bits = bits_}));
  }

  void add(Candidate candidate) {
    for (Candidate& other : advice_.candidates) {
      if (!same_places(candidate.layout, other.layout)) continue;
      if (candidate.chip != other.chip) continue;
      other.also.push_back(std::move(candidate.name));
      return;
    }
    advice_.candidates.push_back(std::move(candidate));
  }

  Result<void> price() {
    const Result<Pricer> pricer =
        Pricer::make(*options_.from, options_.machine);
    if (!pricer) return unexpected(pricer.error());
    for (Candidate& candidate : advice_.candidates) {
      advising::set_price(candidate, *options_.from, *pricer);
    }
    return {};
  }

  [[nodiscard]] unexpected<Error> unknown_family(const std::string& text,
                                                 const Family& family) const {
    std::vector<std::string> known;
    for (const CatalogueEntry& entry : names_) {
      std::string vendor = entry.name.substr(0, entry.name.find('.'));
      if (known.empty() || known.back() != vendor) {
        known.push_back(std::move(vendor));
      }
    }
    const std::string hint = nearest(family.name, known);
    return fail(
        ErrorCode::unknown_name,
        fmt::format(
            "no family '{}'{}; there are {}", text,
            hint.empty() ? "" : fmt::format(" (did you mean {}?)", hint),
            fmt::join(known, ", ")));
  }

  [[nodiscard]] unexpected<Error> none() const {
    if (!advice_.left_out.empty()) {
      const LeftOut& first = advice_.left_out.front();
      return fail(ErrorCode::mismatch, fmt::format("no layout is left: {} {}",
                                                   first.name, first.why));
    }
    std::set<std::string> dims;
    for (const CatalogueEntry& entry : names_) {
      for (const std::string& text : options_.families) {
        const Result<Family> family = advising::read_family(text);
        if (family && family->has(entry) && !entry.dims.empty()) {
          dims.insert(fmt::format("{}", fmt::join(entry.dims, " ")));
        }
      }
    }
    return fail(ErrorCode::mismatch,
                fmt::format("no layout of these families has the dims of {}{}",
                            print(shape_),
                            dims.empty() ? ""
                                         : fmt::format("; theirs are {}",
                                                       fmt::join(dims, ", "))));
  }

  const Shape& shape_;
  std::int64_t bits_;
  const AdviseOptions& options_;
  AdviseOptions unpriced_;  // the same without `from`
  const Catalogue& names_;
  Advice advice_;
};

}  // namespace

Result<void> check_axes(const Chip& chip,
                        std::span<const Candidate> candidates) {
  std::vector<std::string> axes;
  for (const Candidate& candidate : candidates) {
    for (const BoundAxis& axis : candidate.layout.axes()) {
      if (!axis.name.empty()) axes.push_back(axis.name);
    }
  }
  for (const auto& [name, most] : chip.axes) {
    if (std::ranges::find(axes, name) != axes.end()) continue;
    std::vector<std::string> known = axes;
    for (const ChipLimit& limit : chip_limits) known.emplace_back(limit.name);
    const std::string hint = nearest(name, known);
    return fail(
        ErrorCode::unknown_name,
        fmt::format(
            "no limit is named '{}', and no layout has such an axis{}", name,
            hint.empty() ? "" : fmt::format("; did you mean {}?", hint)));
  }
  return {};
}

Result<Advice> advise(const Shape& shape, std::int64_t element_bits,
                      const AdviseOptions& options, const Catalogue& names) {
  return Adviser(shape, element_bits, options, names).run();
}

}  // namespace stridewise
