// SPDX-License-Identifier: Apache-2.0
#include "advise/candidates.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "advise/tiles.hpp"
#include "base/checked.hpp"
#include "catalogue/instantiate.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::advising {
namespace {

// A range of no more values is tried whole.
constexpr std::int64_t most_of_range = 256;
constexpr std::size_t most_texts = 1 << 14;
// How many times as many parts as banks are looked at.
constexpr std::int64_t most_rounds = 8;

// Of a parameter that cuts an extent into parts for banks. Those of as many parts, or as
// many rounds of them, differ in nothing but the size of a part: the least makes the
// fullest bank least, or the largest, where the last part alone goes round once more; the
// first that fills whole rows leaves no gaps between them. A
// bank never needs less than ceil(extent / banks), which is one round of that size: so a
// few rounds more are looked at to show that, not to find better ones.
std::set<std::int64_t> ends_of_parts(std::int64_t least, std::int64_t most,
                                     std::int64_t extent, std::int64_t banks,
                                     std::int64_t unit) {
  std::set<std::int64_t> values;
  const auto take = [&](std::int64_t parts) {
    if (parts < 1) return;
    const std::int64_t small = ceil_div(extent, parts);
    const std::int64_t large = parts == 1 ? most : (extent - 1) / (parts - 1);
    values.insert({small, large});
    const Checked whole = round_up(small, unit);
    if (whole && *whole <= large) values.insert(*whole);
  };
  for (std::int64_t parts = 1; parts <= std::min(banks, extent); ++parts) {
    take(parts);
  }
  for (std::int64_t rounds = 2; rounds <= most_rounds; ++rounds) {
    take(std::min(extent, rounds * banks));
    take(std::min(extent, (rounds - 1) * banks + 1));
  }
  std::erase_if(values, [&](std::int64_t v) { return v < least || v > most; });
  return values;
}

Result<std::set<std::int64_t>> range_values(const CatalogueTries& tries,
                                            const NamedNumbers& values) {
  const Result<std::int64_t> least = evaluate(tries.least, values);
  if (!least) return unexpected(least.error());
  const Result<std::int64_t> most = evaluate(tries.most, values);
  if (!most) return unexpected(most.error());
  std::set<std::int64_t> all;
  if (*least < 0 || *most < *least) {
    return fail(ErrorCode::invalid_value,
                fmt::format("tries from {} to {}", *least, *most));
  }
  if (*most - *least < most_of_range) {
    for (std::int64_t v = *least; v <= *most; ++v) all.insert(v);
    return all;
  }
  if (tries.cuts.empty()) {
    all = {*least, *most};
    for (std::int64_t v = 1; v <= *most / 2; v *= 2) {
      if (v > *least) all.insert(v);
    }
    return all;
  }
  const Result<std::int64_t> extent = evaluate(tries.cuts, values);
  if (!extent) return unexpected(extent.error());
  const Result<std::int64_t> banks = evaluate(tries.over, values);
  if (!banks) return unexpected(banks.error());
  const Result<std::int64_t> unit = evaluate(tries.unit, values);
  if (!unit) return unexpected(unit.error());
  constexpr std::int64_t most_banks = 4096;
  return ends_of_parts(*least, *most, std::max<std::int64_t>(*extent, 1),
                       std::clamp<std::int64_t>(*banks, 1, most_banks),
                       std::clamp<std::int64_t>(*unit, 1, largest / 2));
}

// Values of parameters by name.
using Choice = std::map<std::string, std::string, std::less<>>;

std::string text_of(const CatalogueEntry& entry, const Choice& choice) {
  std::string text;
  for (const CatalogueParam& param : entry.params) {
    const auto value = choice.find(param.name);
    if (value == choice.end()) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", param.name,
                        value->second);
  }
  return text.empty() ? entry.name : fmt::format("{}({})", entry.name, text);
}

// Whether a parameter that is given excludes this one.
bool is_excluded(const CatalogueEntry& entry, const Family& family,
                 const std::string& name) {
  return std::ranges::any_of(entry.params, [&](const CatalogueParam& param) {
    return param.excludes == name && family.arguments.contains(param.name);
  });
}

// What a parameter is where nothing is tried of it: given, or its default.
void learn(const CatalogueParam& param, const Choice& choice,
           NamedNumbers& values) {
  const auto given = choice.find(param.name);
  const std::string& text =
      given != choice.end() ? given->second : param.default_value;
  if (const auto value = evaluate(text, values)) {
    values.insert_or_assign(param.name, *value);
  }
}

}  // namespace

bool Family::has(const CatalogueEntry& entry) const {
  return name.empty() || entry.name == name ||
         entry.name.starts_with(name + ".");
}

Result<Family> read_family(const std::string& text) {
  Family family;
  const std::size_t open = text.find('(');
  family.name = text.substr(0, open);
  if (family.name == "all") family.name.clear();
  if (open == std::string::npos) return family;
  if (!text.ends_with(')')) {
    return fail(ErrorCode::syntax,
                fmt::format("'{}' has a '(' without its ')'", text));
  }
  const std::string list = text.substr(open + 1, text.size() - open - 2);
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string one = list.substr(at, end - at);
    const std::size_t equals = one.find('=');
    if (equals == std::string::npos || equals == 0 ||
        equals + 1 == one.size()) {
      return fail(ErrorCode::syntax,
                  fmt::format("'{}' is no parameter: write name=value", one));
    }
    family.arguments.emplace(one.substr(0, equals), one.substr(equals + 1));
    at = end + 1;
  }
  return family;
}

Result<std::vector<std::string>> tried_values(const CatalogueTries& tries,
                                              const NamedNumbers& values) {
  if (!tries.values.empty()) return tries.values;
  const auto range = range_values(tries, values);
  if (!range) return unexpected(range.error());
  std::vector<std::string> texts;
  for (const std::int64_t value : *range) {
    texts.push_back(std::to_string(value));
  }
  return texts;
}

Result<std::vector<std::string>> texts_of(const CatalogueEntry& entry,
                                          const Family& family,
                                          const Shape& shape,
                                          std::int64_t element_bits) {
  if (!entry.tries.empty()) return entry.tries;
  NamedNumbers values = numbers_of(shape, element_bits);
  std::vector<Choice> choices(1);
  for (const CatalogueParam& param : entry.params) {
    const auto given = family.arguments.find(param.name);
    if (given != family.arguments.end()) {
      for (Choice& choice : choices) choice.insert(*given);
    } else if (family.arguments.contains(param.excludes) ||
               is_excluded(entry, family, param.name)) {
      continue;
    } else if (!param.tries.empty()) {
      const auto tried = tried_values(param.tries, values);
      if (!tried) return unexpected(tried.error());
      if (choices.size() * tried->size() > most_texts) {
        return fail(ErrorCode::unsupported, "too many values to be tried");
      }
      std::vector<Choice> more;
      for (const Choice& choice : choices) {
        for (const std::string& value : *tried) {
          more.push_back(choice);
          more.back().emplace(param.name, value);
        }
      }
      choices = std::move(more);
    } else if (param.default_value.empty()) {
      return fail(ErrorCode::mismatch,
                  fmt::format("needs {}: {}", param.name, param.doc));
    }
    learn(param, choices.empty() ? Choice{} : choices.front(), values);
  }
  std::vector<std::string> texts;
  for (const Choice& choice : choices) texts.push_back(text_of(entry, choice));
  return texts;
}

}  // namespace stridewise::advising

namespace stridewise {
namespace {

// The dims of so many numbers.
Result<std::vector<std::string>> family_dims(
    std::size_t rank, const std::vector<std::string>& families,
    const Catalogue& names) {
  std::set<std::vector<std::string>> found;
  std::vector<advising::Family> wanted;
  for (const std::string& text : families) {
    const auto family = advising::read_family(text);
    if (!family) return unexpected(family.error());
    wanted.push_back(*family);
  }
  if (wanted.empty()) wanted.emplace_back();
  for (const Catalogue* const all : {&names, &advising::tiles()}) {
    for (const CatalogueEntry& entry : *all) {
      const bool has = std::ranges::any_of(
          wanted,
          [&](const advising::Family& family) { return family.has(entry); });
      if (has && entry.dims.size() == rank) found.insert(entry.dims);
    }
  }
  const std::vector<std::string> usual = {"n", "c", "h", "w"};
  if (found.contains(usual) || (rank == usual.size() && found.empty())) {
    return usual;
  }
  if (found.size() == 1) return *found.begin();
  std::string list;
  for (const auto& dims : found) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", fmt::join(dims, " "));
  }
  return fail(ErrorCode::unknown_name,
              fmt::format("{} numbers without names: name them, as n=1,c=64{}",
                          rank, list.empty() ? "" : "; there are " + list));
}

}  // namespace

Result<Shape> family_shape(std::string_view text,
                           const std::vector<std::string>& families,
                           const Catalogue& names) {
  if (text.find('=') != std::string_view::npos) return parse_shape(text);
  const auto rank = static_cast<std::size_t>(std::ranges::count(text, 'x')) + 1;
  const auto dims = family_dims(rank, families, names);
  if (!dims) return unexpected(dims.error());
  return parse_shape(text, *dims);
}

std::optional<Operation> operation_named(std::string_view name) {
  if (name == "conv") return Operation::conv;
  if (name == "pool") return Operation::pool;
  if (name == "gemm") return Operation::gemm;
  if (name == "copy") return Operation::copy;
  return std::nullopt;
}

Access access_of(Operation operation, const Shape& shape) {
  const auto first_of = [&](std::initializer_list<const char*> names) {
    for (const char* name : names) {
      if (std::ranges::find(shape, name, &Dim::name) != shape.end()) {
        return std::string(name);
      }
    }
    return std::string();
  };
  Access access;
  if (operation == Operation::conv || operation == Operation::pool) {
    access.vector_dim = first_of({"c", "i"});
  } else if (operation == Operation::gemm && !shape.empty()) {
    access.vector_dim = first_of({"k"});
    if (access.vector_dim.empty()) access.vector_dim = shape.back().name;
  }
  return access;
}

}  // namespace stridewise
