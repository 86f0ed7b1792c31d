// stridewise advise --shape S --dtype T [--family F]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "advise_graph.hpp"
#include "advise_options.hpp"
#include "advise_report.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

// The same entry with other values of what is tried of its parameters.
std::optional<Candidate> best_of_own(const LayoutSource& source,
                                     const Shape& shape, std::int64_t bits,
                                     AdviseOptions options,
                                     const Catalogue& names) {
  if (!source.entry) return std::nullopt;
  std::string kept;
  bool tries = false;
  for (const CatalogueParam& param : source.entry->params) {
    const auto given = source.arguments.find(param.name);
    tries = tries || !param.tries.empty();
    if (given == source.arguments.end() || !param.tries.empty()) continue;
    kept += fmt::format("{}{}={}", kept.empty() ? "" : ",", param.name,
                        given->second);
  }
  if (!tries) return std::nullopt;
  options.families = {kept.empty() ? source.name
                                   : fmt::format("{}({})", source.name, kept)};
  const Result<Advice> advice = advise(shape, bits, options, names);
  if (!advice || advice->candidates.empty()) return std::nullopt;
  return advice->candidates.front();
}

Candidate assess_text(const std::string& text, const Asked& asked) {
  LayoutSource source =
      value_of(resolve_layout(text, names_of(asked.shape), asked.names));
  Candidate candidate =
      value_of(assess(source, asked.shape, asked.type.bits, asked.options));
  candidate.name = text;
  return candidate;
}

// Two layouts, or one and the best.
void compare(Context& context, const AdviseCommand& command,
             const Asked& asked) {
  const Candidate a = assess_text(command.why[0], asked);
  const Candidate b = command.why.size() > 1
                          ? assess_text(command.why[1], asked)
                          : value_of(advise(asked.shape, asked.type.bits,
                                            asked.options, asked.names))
                                .candidates.front();
  const std::vector<std::string> sentences = compare_candidates(a, b);
  const std::vector<Candidate> both = {a, b};
  value_of(check_axes(asked.options.chip, both));
  std::string text = advise_table(both, std::nullopt);
  text += sentences.empty()
              ? fmt::format("\n{} and {} lose the same\n", a.name, b.name)
              : "\n";
  for (const std::string& sentence : sentences) text += sentence + '\n';
  Json candidates = Json::array();
  candidates.push_back(candidate_json(a));
  candidates.push_back(candidate_json(b));
  context.answer({{"candidates", std::move(candidates)}, {"why", sentences}},
                 text);
}

void draw_best(const Context& context, const AdviseCommand& command,
               const std::vector<Candidate>& best, const ElementType& type) {
  DrawOptions draw{.type_name = std::string(type.name)};
  if (best.size() > 1) draw.to = best[1].layout;
  const Picture picture = value_of(make_picture(best[0].layout, draw));
  const bool page = command.out.ends_with(".html");
  if (!page && !command.out.ends_with(".svg")) {
    throw Failure{
        {ErrorCode::invalid_value,
         fmt::format("--out is FILE.svg or FILE.html, not '{}'", command.out)}};
  }
  write_file(command.out, page ? to_html(picture) : to_svg(picture),
             context.sync());
}

// Those that are shown, what the tensor is in now, and what is said of that.
struct Ranking {
  std::vector<Candidate> shown = {};
  std::optional<Candidate> now = {};
  std::string verdict = {};
};

Ranking ranking_of(const AdviseCommand& command, const Asked& asked,
                   const Advice& advice) {
  Ranking answer{.shown = advice.candidates};
  std::vector<Candidate>& shown = answer.shown;
  if (std::ssize(shown) > command.top) {
    shown.erase(shown.begin() + command.top, shown.end());
  }
  if (!asked.from) return answer;
  answer.now = assess_text(command.from, asked);
  const auto best = best_of_own(*asked.from, asked.shape, asked.type.bits,
                                asked.options, asked.names);
  if (best) answer.verdict = verdict(*answer.now, *best);
  return answer;
}

std::string ranking_text(const Ranking& answer, const Advice& advice) {
  const std::vector<Candidate>& shown = answer.shown;
  std::string text = advise_table(shown, answer.now);
  if (!answer.verdict.empty()) text += '\n' + answer.verdict;
  if (shown.size() > 1) {
    const auto sentences = compare_candidates(shown[0], shown[1]);
    text += fmt::format("\n{} before {}{}\n", shown[0].name, shown[1].name,
                        sentences.empty() ? ": they lose the same" : ":");
    for (const std::string& sentence : sentences) {
      text += fmt::format("  {}\n", sentence);
    }
  }
  for (const Candidate& candidate : shown) {
    if (candidate.also.empty()) continue;
    text += fmt::format("{} is also {}\n", candidate.name,
                        fmt::join(candidate.also, ", "));
  }
  if (advice.candidates.size() > shown.size()) {
    text += fmt::format("\n{} more; --top {} shows them all\n",
                        advice.candidates.size() - shown.size(),
                        advice.candidates.size());
  }
  for (const LeftOut& left : advice.left_out) {
    text += fmt::format("left out: {}: {}\n", left.name, left.why);
  }
  if (!shown.front().missed.empty()) {
    text +=
        fmt::format("nothing fits; the nearest is {}\n", shown.front().name);
  }
  return text;
}

Json ranking_json(const Ranking& answer, const Asked& asked,
                  const Advice& advice) {
  Json candidates = Json::array();
  for (const Candidate& candidate : answer.shown) {
    candidates.push_back(candidate_json(candidate));
  }
  Json left = Json::array();
  for (const LeftOut& one : advice.left_out) {
    left.push_back({{"layout", one.name}, {"why", one.why}});
  }
  return {{"shape", named(asked.shape)},
          {"fits", answer.shown.front().missed.empty()},
          {"candidates", std::move(candidates)},
          {"now", answer.now ? candidate_json(*answer.now) : Json(nullptr)},
          {"verdict", answer.verdict},
          {"left_out", std::move(left)},
          {"tried", advice.tried}};
}

void run_advise(Context& context, const AdviseCommand& command) {
  if (!command.graph.empty()) {
    if (!command.shape.empty() || !command.why.empty() ||
        !command.out.empty() || !command.families.empty()) {
      throw Failure{{ErrorCode::mismatch,
                     "--graph has its tensors in a file: it takes --machine "
                     "alone"}};
    }
    return run_advise_graph(context, command.graph, command.machine);
  }
  const Asked asked = read(command);
  if (!command.why.empty()) return compare(context, command, asked);
  const Advice advice = value_of(
      advise(asked.shape, asked.type.bits, asked.options, asked.names));
  const Ranking answer = ranking_of(command, asked, advice);
  if (!command.out.empty()) {
    draw_best(context, command, answer.shown, asked.type);
  }
  if (!answer.shown.front().missed.empty()) context.exit_code = exit_no;
  context.answer(ranking_json(answer, asked, advice),
                 ranking_text(answer, advice));
}

// How candidates are weighed and shown.
void add_weighing(Command command, AdviseCommand& options) {
  command
      .add_option(
          "--limit", options.limits,
          "of the chip: banks, bank_width_bytes, bank_bytes, bank_axis, "
          "memory_bytes, row_alignment_bytes, vector_bytes, dma_dims, "
          "or the most coordinates of an axis, as pixel=16384 (more "
          "than once)")
      .one_word_each();
  command.add_option(
      "--weights", options.weights,
      "what counts how much: waste=1,convert=0 (default: 1, rows "
      "0.5, convert 0.1)");
  command
      .add_option("--why", options.why,
                  "a layout beside the best, or two beside each other")
      .one_word_each();
  command.add_option("--top", options.top, "how many are shown")
      .show_default()
      .in_range(1, 100000);
  command.add_option("--graph", options.graph,
                     "a network's FILE.toml: a layout for each of its tensors "
                     "(docs/advise.md)");
  command.add_option("--machine", options.machine,
                     "whose prices conversions have, as for plan");
  command.add_option("--out,-o", options.out,
                     "a picture of the two best: FILE.svg or FILE.html");
}

}  // namespace

void add_advise(Command app, Context& context) {
  Command command = app.add_command(
      "advise", "which layout a tensor should have, and what others lose");
  command.footer(
      "Ranks layouts of the catalogue, with the best values of their free "
      "parameters.\n"
      "  stridewise advise --shape 1x24x56x56 --family onednn\n"
      "  stridewise advise --shape 2x40 --family 'okk.matrix(npus=4)'\n"
      "  stridewise advise --shape 2x40 --family 'okk.matrix(npus=4)' \\\n"
      "      --why 'okk.matrix(npus=4,w=15)' --why 'okk.matrix(npus=4,w=6)'\n"
      "  stridewise advise --shape 1x66x8x8 --from 'okk.aligned(start=63)' "
      "--family okk");
  auto options = std::make_shared<AdviseCommand>();
  command.add_option(
      "--shape,-s", options->shape,
      "logical extents: 1x64x56x56 (n, c, h, w), m=128,k=64; needed "
      "but for --graph");
  command.add_option("--dtype,-t", options->dtype,
                     "element type (default: f32)");
  command
      .add_option("--family,-f", options->families,
                  "a vendor of the catalogue, one of its layouts, with values "
                  "for parameters ('okk(npus=4)'), a catalogue's FILE.toml, or "
                  "all (more than once)")
      .one_word_each();
  command.add_option("--from", options->from,
                     "the layout that the tensor is in: what conversions take");
  command
      .add_option("--op", options->op,
                  "who reads it: conv, gemm, pool or copy; decides along which "
                  "dim vectors are loaded")
      .show_default();
  command.add_option("--vector", options->vector,
                     "the dim along which vectors are loaded, and their lanes: "
                     "c or c=16 (default: as --op, 64 bytes)");
  command.add_option("--box", options->box,
                     "the indices that are read at once, for conflicts of "
                     "banks: h=4,w=4 (default: a vector)");
  add_weighing(command, *options);
  add_sync(command, context);
  command.callback([&context, options] { run_advise(context, *options); });
}

}  // namespace stridewise::cli
