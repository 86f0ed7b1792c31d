// stridewise list [WORD]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "catalogues.hpp"
#include "common.hpp"

namespace stridewise::cli {
namespace {

std::string join(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += fmt::format("{}{}", text.empty() ? "" : " ", word);
  }
  return text;
}

// What the vendor requires; two checks of one requirement are one line.
std::vector<std::string_view> requirements(const CatalogueEntry& entry) {
  std::vector<std::string_view> all;
  for (const CatalogueCheck& check : entry.checks) {
    if (std::ranges::find(all, check.message) == all.end()) {
      all.push_back(check.message);
    }
  }
  return all;
}

Json entry_json(const CatalogueEntry& entry, const std::string& good) {
  Json params = Json::array();
  for (const CatalogueParam& param : entry.params) {
    Json json = {
        {"name", param.name},
        {"default", param.default_value.empty() ? Json(nullptr)
                                                : Json(param.default_value)},
        {"doc", param.doc}};
    if (!param.choices.empty()) {
      Json choices = Json::array();
      for (const auto& choice : param.choices) choices.push_back(choice.name);
      json["choices"] = std::move(choices);
    }
    params.push_back(std::move(json));
  }
  return {{"name", entry.name},
          {"vendor", entry.vendor},
          {"aliases", entry.aliases},
          {"summary", entry.summary},
          {"words", entry.words},
          {"dims", entry.dims},
          {"params", std::move(params)},
          {"expression", entry.expression},
          {"good_for", good},
          {"checks", requirements(entry)},
          {"source", entry.source},
          {"errata", entry.errata}};
}

std::string entry_text(const CatalogueEntry& entry, const std::string& good,
                       bool details) {
  std::string text = fmt::format("{:<22} {:<8} {}\n", entry.name,
                                 join(entry.dims), entry.summary);
  if (!details) return text;
  text += fmt::format("    layout  {}\n", entry.expression);
  if (!good.empty()) text += fmt::format("    good    {}\n", good);
  for (const std::string& alias : entry.aliases) {
    text += fmt::format("    also    {}\n", alias);
  }
  for (const CatalogueParam& param : entry.params) {
    std::string value(param.default_value);
    for (const auto& choice : param.choices) {
      if (choice.name != param.default_value) {
        value += fmt::format("|{}", choice.name);
      }
    }
    text += fmt::format("    {:<7} {}={}: {}\n", "param", param.name,
                        value.empty() ? "(required)" : value, param.doc);
  }
  for (const std::string_view requirement : requirements(entry)) {
    text += fmt::format("    needs   {}\n", requirement);
  }
  text += fmt::format("    source  {}\n", entry.source);
  for (const std::string_view erratum : entry.errata) {
    text += fmt::format("    note    {}\n", erratum);
  }
  return text;
}

void run_list(Context& context, const std::string& word) {
  Json entries = Json::array();
  std::string text;
  // All of them have the empty word.
  for (const CatalogueEntry* entry : known_layouts().about(word)) {
    // Asked for all entries it takes longer than all else.
    const std::string good =
        context.json || !word.empty() ? good_for(*entry, known_layouts()) : "";
    entries.push_back(entry_json(*entry, good));
    text += entry_text(*entry, good, !word.empty());
  }
  if (entries.empty()) {
    context.exit_code = exit_no;
    std::vector<std::string> names;
    for (const CatalogueEntry& entry : known_layouts()) {
      names.emplace_back(entry.name);
    }
    const std::string hint = nearest(word, names);
    text = fmt::format("no layout matches '{}'{}\n", word,
                       hint.empty() ? "" : "; did you mean '" + hint + "'?");
  } else if (word.empty()) {
    text +=
        "\n'stridewise list WORD' tells parameters, preconditions, source "
        "and errata.\n";
  }
  context.answer({{"entries", std::move(entries)}}, text);
}

}  // namespace

void add_list(Command app, Context& context) {
  Command command =
      app.add_command("list", "the catalogue of vendors' layouts");
  command.footer(
      "WORD is looked for in names, vendors, summaries, sources and what a "
      "layout is for;\nthe entries that have it are shown whole. Exit code 1 "
      "when none has.\n"
      "  stridewise list ascend\n  stridewise list okk.matrix\n"
      "  stridewise list 'kv cache'\n  stridewise list int4");
  auto word = std::make_shared<std::string>();
  command.add_option("WORD", *word, "show only what matches, with details");
  command.callback([&context, word] { run_list(context, *word); });
}

}  // namespace stridewise::cli
