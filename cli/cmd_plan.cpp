// stridewise plan A B --shape S --dtype T
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "layout_options.hpp"

namespace stridewise::cli {
namespace {

// What the best possible conversion would take here: our own copy of as many
// bytes, the fastest of a few. Copies that are too large to be tried are as fast
// a byte as the largest that are not.
double copy_seconds(double bytes, Stores stores) {
  using Clock = std::chrono::steady_clock;
  constexpr std::int64_t most = 64 << 20, timed_bytes = 1 << 20;
  // What a call takes itself is as long as so many bytes.
  constexpr std::int64_t bytes_of_call = 1 << 12;
  const auto tried = static_cast<std::int64_t>(
      std::clamp(bytes / 2, 1.0, static_cast<double>(most)));
  const Layout run =
      value_of(value_of(resolve_layout("x")).bind(Shape{{"x", tried}}, 1));
  const Plan copy = value_of(Plan::make(run, run, {.stores = stores}));
  const std::vector<std::byte> src(static_cast<std::size_t>(tried));
  std::vector<std::byte> dst(src.size());
  copy.run(src.data(), dst.data());
  const std::int64_t times =
      std::max<std::int64_t>(timed_bytes / std::max(tried, bytes_of_call), 1);
  double best = 1e9;
  for (int round = 0; round < 5; ++round) {
    const auto begin = Clock::now();
    for (std::int64_t k = 0; k < times; ++k) copy.run(src.data(), dst.data());
    const std::chrono::duration<double> took = Clock::now() - begin;
    best = std::min(best, took.count() / static_cast<double>(times));
  }
  return best * bytes / static_cast<double>(2 * tried);
}

struct PlanCommand {
  std::array<std::string, 2> layouts;
  std::string shape;
  std::string dtype = "f32";
  std::string to_dtype;
  std::string part;
  std::vector<std::string> tables;
  std::string machine;
  bool keep_gaps = false;
  bool explains = false;
};

Json ways_json(const ExplainedNest& nest) {
  Json ways = Json::array();
  for (const ExplainedWay& way : nest.ways) {
    ways.push_back({{"way", way.way},
                    {"cycles_per_byte", way.cycles_per_byte},
                    {"why", way.why}});
  }
  return ways;
}

// The plan of another machine, or with the ways that were weighed.
void explain(Context& context, const PlanCommand& options,
             const std::array<Layout, 2>& tensors, PlanOptions plan_options) {
  plan_options.machine = machine_text(options.machine);
  const Explanation explanation =
      value_of(explain_plan(tensors[0], tensors[1], plan_options));
  Json nests = Json::array();
  std::string text =
      fmt::format("{} with {}\n", explanation.machine, explanation.isa);
  // All that is said of the whole.
  const std::size_t nests_begin =
      std::min(explanation.text.find("\nmove from"),
               explanation.text.find("\nzero from"));
  text += options.explains ? explanation.text.substr(0, nests_begin + 1)
                           : explanation.text;
  for (const ExplainedNest& nest : explanation.nests) {
    Json json = nest_json(nest.nest);
    if (options.explains) json["ways"] = ways_json(nest);
    nests.push_back(std::move(json));
    if (!options.explains) continue;
    text +=
        nest.text.empty() ? "by tables: no other way is weighed\n" : nest.text;
    for (const ExplainedWay& way : nest.ways) {
      text += fmt::format("  {} {:6.3f} cycles a byte: {} ({})\n",
                          &way == &nest.ways.front() ? "taken" : "     ",
                          way.cycles_per_byte, way.way, way.why);
    }
  }
  context.answer({{"machine", explanation.machine},
                  {"isa", explanation.isa},
                  {"nests", std::move(nests)},
                  {"text", explanation.text}},
                 text);
}

void run_plan(Context& context, const PlanCommand& options) {
  const ElementType type = value_of(parse_element_type(options.dtype));
  const std::vector<LayoutSource> sources =
      resolve_all(options.layouts, options.shape);
  const Shape shape = shape_for(options.shape, sources);
  PlanOptions plan_options{.fill = options.keep_gaps ? Fill::keep : Fill::zero};
  ElementType to_type = type;
  if (!options.to_dtype.empty()) {
    to_type = value_of(parse_element_type(options.to_dtype));
    plan_options.values = Values{type, to_type};
  }
  const Tables tables = tables_of(options.tables, sources);
  const auto tensor = [&](const LayoutSource& source,
                          const ElementType& element) {
    const Layout memory = value_of(source.bind(
        shape, Binding{.element_bits = element.bits, .tables = tables}));
    const bool chooses = !options.part.empty() && memory.tensor() < 0;
    return chooses ? value_of(memory.part(options.part)) : memory;
  };
  const std::array tensors = {tensor(sources[0], type),
                              tensor(sources[1], to_type)};
  if (options.explains || !options.machine.empty()) {
    return explain(context, options, tensors, plan_options);
  }
  const Plan plan = value_of(Plan::make(tensors[0], tensors[1], plan_options));
  const auto nests = plan.nests();
  const bool streams = std::ranges::any_of(nests, &PlanNest::streams);
  const double bound =
      copy_seconds(static_cast<double>(plan.bytes_read()) +
                       static_cast<double>(plan.bytes_written()),
                   streams ? Stores::streaming : Stores::cached);
  Json json = plan_json(plan);
  json["bound_seconds"] = bound;
  context.answer(
      json, fmt::format("{}at best {:.3g} us on one thread: what a copy of as "
                        "many bytes takes here\n",
                        plan.to_string(), bound * 1e6));
}

}  // namespace

void add_plan(Command app, Context& context) {
  Command command = app.add_command(
      "plan", "how a conversion would be done: loops, tiles and kernels");
  command.footer(
      "Loops are from the outermost in, strides in bytes; the last line of a "
      "nest is the\nkernel and the tile that it walks itself. The bound is "
      "measured: a copy, by the same\nkind of stores, of as many bytes as the "
      "plan reads and writes.\n"
      "  stridewise plan nchw nChw16c --shape 8x67x56x56\n"
      "  stridewise plan nchw nhwc --shape 8x64x56x56 --explain --machine "
      "zen4");
  auto options = std::make_shared<PlanCommand>();
  command.add_option("A", options->layouts[0], "layout of the source")
      .required();
  command.add_option("B", options->layouts[1], "layout of the destination")
      .required();
  command.add_option("--shape,-s", options->shape,
                     "logical extents; needed unless a layout's text tells "
                     "them");
  command.add_option("--dtype,-t", options->dtype, "element type")
      .show_default();
  command.add_option("--to-dtype", options->to_dtype,
                     "element type of the destination, where values change");
  command.add_option("--part,-p", options->part,
                     "the part that moves, of a memory of several");
  command
      .add_option("--table", options->tables,
                  "entries of a table of a layout: T=7,2,5 or T=FILE.npy")
      .one_word_each();
  command.add_flag("--keep-gaps", options->keep_gaps,
                   "leave bytes that hold no element as they are");
  command.add_flag("--explain", options->explains,
                   "all ways that were weighed, with what they cost and why");
  command.add_option("--machine", options->machine,
                     fmt::format("plan for another machine: {}, or a file with "
                                 "its profile",
                                 fmt::join(machine_names(), ", ")));
  command.callback([&context, options] { run_plan(context, *options); });
}

}  // namespace stridewise::cli
