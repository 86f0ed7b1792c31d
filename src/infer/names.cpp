// SPDX-License-Identifier: Apache-2.0
#include "infer/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "catalogue/tags.hpp"
#include "infer/entries.hpp"
#include "infer/tags.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::inference {
namespace {

constexpr std::int64_t most_blocks = 1 << 20;

void add_once(std::vector<std::int64_t>& numbers, std::int64_t number) {
  if (number > 0 && std::ranges::find(numbers, number) == numbers.end()) {
    numbers.push_back(number);
  }
}

// What the digits of the data suggest.
Numbers numbers_of(const Offsets& offsets, const std::vector<Chain>& chains,
                   const Dims& dims, std::int64_t size_bytes) {
  Numbers numbers;
  for (const Chain& chain : chains) {
    for (const Chain::Part& part : chain.parts) {
      add_once(numbers.blocks, part.mod);
      add_once(numbers.blocks, part.div > 1 ? part.div : 0);
      add_once(numbers.pitches, part.stride);
    }
    add_once(numbers.starts, chain.bias);
  }
  std::vector<std::int64_t> pitches = numbers.pitches;
  for (const std::int64_t pitch : default_pitches(dims)) {
    add_once(pitches, pitch);
  }
  for (const std::int64_t pitch : pitches) {
    if (size_bytes > 0 && size_bytes % pitch == 0 &&
        size_bytes / pitch <= most_blocks) {
      add_once(numbers.blocks, size_bytes / pitch);
    }
    if (offsets.origin > 0 && offsets.origin % pitch == 0 &&
        offsets.origin / pitch <= most_blocks) {
      add_once(numbers.starts, offsets.origin / pitch);
    }
  }
  add_once(numbers.bases, offsets.origin);
  return numbers;
}

// The function that is to be named.
struct Target {
  const Offsets& offsets;
  const std::vector<Chain>& chains;
  const Dims& dims;
  std::int64_t size_bytes;
  bool anywhere;

  [[nodiscard]] bool is(const Layout& layout) const {
    return (size_bytes < 0 || layout.size_bytes() == size_bytes) &&
           layout.valid() && agrees(layout, offsets, anywhere);
  }
};

// The step of a digit in elements, where two known places differ in it alone.
std::optional<std::int64_t> step_of(const Digit& digit, const Dims& dims,
                                    const Offsets& offsets) {
  const auto dim = std::ranges::find(dims.shape, digit.dim, &Dim::name);
  if (dim == dims.shape.end()) return std::nullopt;
  const auto& steps =
      offsets.steps[static_cast<std::size_t>(dim - dims.shape.begin())];
  for (std::int64_t x = 0; x + digit.div < dim->extent; ++x) {
    const std::int64_t a = steps[static_cast<std::size_t>(x)];
    const std::int64_t b = steps[static_cast<std::size_t>(x + digit.div)];
    if (a != unknown && b != unknown && b > a)
      return (b - a) / dims.element_bytes;
  }
  return std::nullopt;
}

// The arguments of an entry's strides, as the data have them: which digit each
// belongs to shows when all are given numbers of their own.
std::optional<std::string> stride_arguments(const CatalogueEntry& entry,
                                            const std::string& arguments,
                                            const Target& target) {
  const Dims& dims = target.dims;
  constexpr std::int64_t marker = 1000003;
  std::vector<const CatalogueParam*> strides;
  std::string marked;
  for (const CatalogueParam& param : entry.params) {
    if (role_of(entry, param) != Role::stride) continue;
    marked += fmt::format("{}{}={}", marked.empty() ? "" : ",", param.name,
                          marker + static_cast<std::int64_t>(strides.size()));
    strides.push_back(&param);
  }
  if (strides.empty()) return std::nullopt;
  const Result<LayoutSource> source =
      resolve_layout(call(entry, arguments, marked), {}, dims.names);
  if (!source) return std::nullopt;
  std::string text;
  for (std::size_t k = 0; k < strides.size(); ++k) {
    std::optional<std::int64_t> value;
    for (const Axis& axis : source->expression.axes) {
      for (const Term& term : axis.terms) {
        if (term.stride.value != marker + static_cast<std::int64_t>(k))
          continue;
        Digit digit = term.digit;
        if (dims.positional) {
          const auto at = std::ranges::find(entry.dims, digit.dim);
          digit.dim =
              dims.shape[static_cast<std::size_t>(at - entry.dims.begin())]
                  .name;
        }
        value = step_of(digit, dims, target.offsets);
      }
    }
    if (!value && strides[k]->default_value == "natural") continue;
    // One index tells nothing: the whole of memory is room enough.
    if (!value) {
      value = std::max<std::int64_t>(target.size_bytes / dims.element_bytes, 1);
    }
    if (std::to_string(*value) == strides[k]->default_value) continue;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", strides[k]->name,
                        *value);
  }
  return text;
}

// Leaves out what is not needed, argument by argument.
std::string shortest(const CatalogueEntry& entry, std::string arguments,
                     const Target& target) {
  std::size_t begin = 0;
  while (begin < arguments.size()) {
    const std::size_t end =
        std::min(arguments.find(',', begin), arguments.size());
    std::string without =
        arguments.substr(0, begin > 0 ? begin - 1 : 0) +
        arguments.substr(begin > 0 || end == arguments.size() ? end : end + 1);
    const std::optional<Named> named =
        named_layout(call(entry, without, ""), target.dims);
    if (named && target.is(named->layout)) {
      arguments = std::move(without);
    } else {
      begin = end + 1;
    }
  }
  return arguments;
}

void add_entries(const Target& target, std::vector<Named>& names,
                 std::vector<Named>& strided) {
  const Numbers numbers =
      numbers_of(target.offsets, target.chains, target.dims, target.size_bytes);
  const auto try_name = [&](const std::string& text, std::vector<Named>& into) {
    std::optional<Named> named = named_layout(text, target.dims);
    if (!named || !target.is(named->layout)) return false;
    into.push_back(*std::move(named));
    return true;
  };
  for (const CatalogueEntry* entry : entries_for(target.dims)) {
    for (const std::string& arguments : arguments_of(*entry, numbers)) {
      if (try_name(call(*entry, arguments, ""), names)) break;
      const std::optional<std::string> strides =
          stride_arguments(*entry, arguments, target);
      if (!strides) continue;
      const std::optional<Named> named =
          named_layout(call(*entry, arguments, *strides), target.dims);
      if (!named || !target.is(named->layout)) continue;
      const std::string all =
          arguments + (arguments.empty() || strides->empty() ? "" : ",") +
          *strides;
      if (try_name(call(*entry, shortest(*entry, all, target), ""), strided)) {
        break;
      }
    }
  }
}

}  // namespace

std::optional<Named> named_layout(const std::string& text, const Dims& dims) {
  Result<LayoutSource> source = resolve_layout(text, {}, dims.names);
  if (!source || source->dims.size() != dims.shape.size()) return std::nullopt;
  const bool same_names =
      std::ranges::all_of(source->dims, [&](const std::string& name) {
        return std::ranges::find(dims.shape, name, &Dim::name) !=
               dims.shape.end();
      });
  const std::string name =
      source->name + text.substr(std::min(text.find('('), text.size()));
  // The entry that stands for all tags has no dims of its own.
  const bool tag = source->entry != nullptr && source->entry->dims.empty();
  const bool rare = tag && std::ranges::count(common_tags(), text) == 0;
  if (same_names) {
    Result<Layout> layout = source->bind(dims.shape, dims.element_bytes);
    if (!layout || !layout->plain()) return std::nullopt;
    return Named{name, *std::move(layout), rare, tag};
  }
  if (!dims.positional && !source->positional_dims) return std::nullopt;
  // Preconditions speak of the entry's own names.
  Shape theirs = dims.shape;
  for (std::size_t d = 0; d < theirs.size(); ++d)
    theirs[d].name = source->dims[d];
  const Result<Layout> under_theirs = source->bind(theirs, dims.element_bytes);
  if (!under_theirs || !under_theirs->plain()) return std::nullopt;
  Expression expression = under_theirs->expression();
  for (Axis& axis : expression.axes) {
    for (Term& term : axis.terms) {
      const auto at = std::ranges::find(source->dims, term.digit.dim);
      term.digit.dim =
          dims.shape[static_cast<std::size_t>(at - source->dims.begin())].name;
    }
  }
  Result<Layout> layout =
      Layout::bind(expression, dims.shape, dims.element_bytes);
  if (!layout) return std::nullopt;
  return Named{name, *std::move(layout), rare, tag};
}

std::vector<std::string> entry_texts(const Dims& dims, const Numbers& numbers) {
  std::vector<std::string> texts;
  for (const CatalogueEntry* entry : entries_for(dims)) {
    const bool needs_strides =
        std::ranges::any_of(entry->params, [&](const CatalogueParam& param) {
          return role_of(*entry, param) == Role::stride &&
                 param.default_value.empty();
        });
    if (needs_strides) continue;
    for (const std::string& arguments : arguments_of(*entry, numbers)) {
      texts.push_back(call(*entry, arguments, ""));
    }
  }
  return texts;
}

std::vector<Named> names_of(const Offsets& offsets,
                            const std::vector<Chain>& chains, const Dims& dims,
                            std::int64_t size_bytes, bool anywhere) {
  const Target target{offsets, chains, dims, size_bytes, anywhere};
  std::vector<Named> names;
  const auto add_tag = [&](const std::string& text) {
    std::optional<Named> named = named_layout(text, dims);
    if (!named || !target.is(named->layout)) return;
    // The same tag in other letters, or once more, says nothing new.
    const bool known = std::ranges::any_of(names, [&](const Named& other) {
      return other.layout == named->layout && other.tag;
    });
    if (!known) names.push_back(*std::move(named));
  };
  for (const std::string_view tag : common_tags()) add_tag(std::string(tag));
  // Free strides name nearly everything: after all that says more.
  std::vector<Named> strided;
  add_entries(target, names, strided);
  for (const std::string& text :
       tags_of(offsets, dims.shape, dims.element_bytes, size_bytes)) {
    add_tag(text);
  }
  for (Named& named : strided) {
    named.strided = true;
    names.push_back(std::move(named));
  }
  return names;
}

}  // namespace stridewise::inference
