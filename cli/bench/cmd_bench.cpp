// stridewise bench [A B --shape S --dtype T | --problems FILE]
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <sstream>

#include "bench/chart.hpp"
#include "bench/compete.hpp"
#include "bench/report.hpp"
#include "bench/serve.hpp"
#include "bench/streaming_copy.hpp"
#include "bench/tune.hpp"
#include "common.hpp"
#include "stridewise/threads.hpp"
#include "write_file.hpp"

namespace stridewise::cli {
namespace {

struct BenchCommand {
  Problem pair;
  std::string to_dtype;
  std::string problems = "default";
  std::string only;
  std::string against = "memcpy";
  std::string build;  // another one of this program
  std::string machine;
  std::string without;  // ways to move, separated by ','
  std::string tune;     // the file that is written
  int tune_seconds = 480;
  bool cold = false;
  bool serve = false;
  std::string csv, svg;
  int threads = 1;
  int rounds = 9;
  int timeout_seconds = 120;
};

std::vector<BoundProblem> problems_of(const BenchCommand& options) {
  std::vector<BoundProblem> problems;
  if (options.pair.src.empty()) {
    problems = read_problems(options.problems);
  } else if (options.pair.dst.empty() || options.pair.shape.empty()) {
    throw Failure{{ErrorCode::mismatch, "one pair needs A, B and --shape"}};
  } else {
    Problem pair = options.pair;
    if (!options.to_dtype.empty()) pair.dtype += "->" + options.to_dtype;
    problems.push_back(bind(std::move(pair)));
  }
  std::erase_if(problems, [&](const BoundProblem& problem) {
    return problem.text.name.find(options.only) == std::string::npos;
  });
  if (problems.empty()) {
    throw Failure{
        {ErrorCode::unknown_name,
         fmt::format("no problem has '{}' in its name", options.only)}};
  }
  return problems;
}

void require_streaming_copy() {
  if (streaming_copy() != nullptr) return;
  throw Failure{{ErrorCode::unsupported,
                 "nt: this machine has neither AVX2 nor AVX-512"}};
}

// Plans that are made without each of the ways that --without names.
void add_rivals(const BenchCommand& options, Competition& competition) {
  const std::string profile = value_of(machine_profile(competition.machine));
  std::istringstream names(options.without);
  for (std::string name; std::getline(names, name, ',');) {
    const std::string machine = profile + "without = " + name + '\n';
    value_of(machine_profile(machine));  // whether there is such a way
    competition.rivals.push_back({"without " + name, machine});
  }
}

// What --tune measures: the problems that are given, or those of real networks and of any.
std::vector<BoundProblem> tuned_problems(const BenchCommand& options) {
  std::vector<BoundProblem> problems;
  if (!options.pair.src.empty() || options.problems != "default") {
    problems = problems_of(options);
  } else {
    for (const char* const corpus : {"activations", "weights", "transposes"}) {
      std::ranges::move(read_problems(corpus), std::back_inserter(problems));
    }
  }
  std::erase_if(problems, [&](const BoundProblem& problem) {
    // What takes long says little more.
    constexpr std::int64_t most_bytes = 12 << 20;
    return problem.bytes() > most_bytes ||
           problem.text.name.find(options.only) == std::string::npos;
  });
  if (problems.empty()) {
    throw Failure{{ErrorCode::invalid_value,
                   "--tune: no problem of up to 12 MiB to measure"}};
  }
  return problems;
}

// Writes the profile that is found for this machine.
void tune(Context& context, const BenchCommand& options) {
  check_not_stdout(options.tune);
  const std::vector<BoundProblem> problems = tuned_problems(options);
  const bool shown = ::isatty(2) == 1;
  TuneProgress last{};
  const std::string profile = cli::tune(
      problems, machine_text(options.machine), options.tune_seconds,
      [&](const TuneProgress& progress) {
        last = progress;
        if (!shown) return;
        std::cerr << fmt::format(
                         "\r\x1b[K{} settings tried, {} plans measured, {:.3f} "
                         "times as fast",
                         last.tried, last.measured, last.gain)
                  << std::flush;
      });
  if (shown) std::cerr << "\r\x1b[K" << std::flush;
  write_file(options.tune, profile);
  context.answer(
      {{"file", options.tune},
       {"problems", problems.size()},
       {"tried", last.tried},
       {"measured", last.measured},
       {"gain", last.gain}},
      fmt::format("{}: {:.3f} times as fast as before, of {} problems\n"
                  "use it with STRIDEWISE_PROFILE={} or --machine {}\n",
                  options.tune, last.gain, problems.size(), options.tune,
                  options.tune));
}

// Starts the peers that --against names. Of those that only `all` names, the
// ones that do not start are left out, with a word on stderr.
Competition competition_of(const BenchCommand& options, int threads) {
  Competition competition;
  competition.threads = threads;
  competition.rounds = options.rounds;
  competition.cold = options.cold;
  competition.machine = machine_text(options.machine);
  add_rivals(options, competition);
  if (!options.build.empty()) {
    competition.peers.push_back(value_of(Peer::start_build(
        options.build, "build", threads, options.timeout_seconds)));
  }
  std::set<std::string> seen;
  std::istringstream names(options.against);
  for (std::string name; std::getline(names, name, ',');) {
    if (!seen.insert(name.substr(0, name.find('='))).second) continue;
    if (name == "memcpy") continue;  // always measured
    if (name == "nt") {
      require_streaming_copy();
      competition.streaming_copy = true;
      continue;
    }
    if (name == "all") continue;
    competition.peers.push_back(
        value_of(Peer::start(name, threads, options.timeout_seconds)));
  }
  if (!seen.contains("all")) return competition;
  competition.streaming_copy = streaming_copy() != nullptr;
  for (const std::string& name : installed_peers()) {
    if (!seen.insert(name).second) continue;
    Result<Peer> peer = Peer::start(name, threads, options.timeout_seconds);
    if (peer) {
      competition.peers.push_back(*std::move(peer));
    } else {
      std::cerr << fmt::format("stridewise: left out: {}\n",
                               one_line(peer.error().message));
    }
  }
  return competition;
}

// "[3/57] name" on a terminal's last line, while results are not shown.
class Progress {
 public:
  explicit Progress(std::size_t cases)
      : shown_(::isatty(2) == 1), cases_(cases) {}
  ~Progress() { clear(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void begin(const std::string& name) {
    ++number_;
    if (!shown_) return;
    std::cerr << fmt::format("\r\x1b[K[{}/{}] {:.60}", number_, cases_, name)
              << std::flush;
  }
  void clear() const {
    if (shown_) std::cerr << "\r\x1b[K" << std::flush;
  }

 private:
  bool shown_;
  std::size_t cases_;
  std::size_t number_ = 0;
};

// Peers run in caches that are theirs.
void require_builds_alone(const Competition& competition) {
  if (!competition.cold) return;
  for (const Peer& peer : competition.peers) {
    if (peer.is_build()) continue;
    throw Failure{{ErrorCode::unsupported,
                   fmt::format("--cold: {} cannot be measured so; memcpy, nt "
                               "and --ab can",
                               peer.name())}};
  }
}

void run_bench(Context& context, const BenchCommand& options) {
  if (options.serve) return serve();
  if (!options.tune.empty()) return tune(context, options);
  for (const std::string& file : {options.csv, options.svg}) {
    if (!file.empty()) check_not_stdout(file);
  }
  BenchResult results;
  results.threads =
      options.threads == 0 ? default_thread_count() : options.threads;
  results.rounds = options.rounds;
  results.cold = options.cold;
  results.machine = this_machine();
  const std::vector<BoundProblem> problems = problems_of(options);
  Competition competition = competition_of(options, results.threads);
  require_builds_alone(competition);
  for (const Peer& peer : competition.peers) {
    results.peers.push_back({peer.name(), peer.version()});
  }
  SharedTensors tensors;
  Progress progress(problems.size());
  if (!context.json) std::cout << table_heading() << std::flush;
  for (const BoundProblem& problem : problems) {
    progress.begin(problem.text.name);
    results.cases.push_back(compete(problem, competition, tensors));
    progress.clear();
    if (!context.json) {
      std::cout << table_row(results.cases.back()) << std::flush;
    }
  }
  if (!options.csv.empty()) write_file(options.csv, results_csv(results));
  if (!options.svg.empty()) write_file(options.svg, results_svg(results));
  Json json = results_json(results);
  for (const CaseResult& result : results.cases) {
    for (const PeerResult& peer : result.peers) {
      if (peer.status != PeerResult::Status::error) continue;
      if (context.exit_code == exit_done) {
        json["error"] = peer.reason;
        std::cerr << fmt::format("stridewise: {}\n", one_line(peer.reason));
      }
      context.exit_code = exit_bad_input;
    }
  }
  context.answer(json, table_summary(results));
}

}  // namespace

void add_bench(Command app, Context& context) {
  Command command = app.add_command(
      "bench",
      "measured speed of conversions, as a ratio to memcpy and others");
  command.footer(
      "Each result is verified before it is timed: up to 32 MiB a side, byte "
      "for byte\nagainst the slow reference; beyond, by a million random "
      "elements and a million\nrandom places that must be zero where no "
      "element lies. Rounds of all competitors\nalternate, medians are "
      "compared. GB/s count the bytes read and written of the\nelements alone. "
      "A ratio above 1 says that Stridewise is the faster one. A line of\na "
      "problem file is 'name; dtype; src -> dst; shape'; with a dtype of "
      "'f32->s8' values\nchange on the way.\n"
      "  stridewise bench\n"
      "  stridewise bench nchw nhwc --shape 8x64x56x56 --dtype s8 --threads 2\n"
      "  stridewise bench nchw nChw16c --shape 8x64x56x56 --to-dtype f16\n"
      "  stridewise bench --problems small --only nChw16c --against nt,numpy");
  auto options = std::make_shared<BenchCommand>();
  options->pair.dtype = "f32";
  const Option src =
      command.add_option("A", options->pair.src, "layout of the source");
  command.add_option("B", options->pair.dst, "layout of the destination");
  command.add_option("--shape,-s", options->pair.shape, "logical extents");
  command.add_option("--dtype,-t", options->pair.dtype, "element type")
      .show_default();
  const Option to_dtype = command.add_option(
      "--to-dtype", options->to_dtype,
      "type that the values are converted to, by scale 1 and zero point 0");
  command
      .add_option(
          "--problems,-p", options->problems,
          "a problem file, or one of small, medium, large, default: "
          "256 KiB, 8 MiB, 256 MiB, 64 MiB a case; activations, "
          "weights, transposes: 32 KiB to 64 MiB, of real networks and "
          "of any; planes: columns that share sets of the caches; ways: "
          "rare ones of the engine; ttc: 57 transposes of 200 MB; "
          "values: 8 MiB of f32 that change their type on\nthe way; or "
          "world: records, parts of bytes, swizzles, pages")
      .show_default()
      .excludes(src)
      .excludes(to_dtype);
  command.add_option("--only", options->only,
                     "only problems with this text in their name");
  command
      .add_option("--against", options->against,
                  "memcpy, nt (a copy with non-temporal stores), peers by "
                  "name or as NAME=PROGRAM, all; separated by ','")
      .show_default();
  command.add_option("--ab", options->build,
                     "another build of this program, measured in turns with "
                     "this one as the peer 'build'");
  command.add_option("--machine", options->machine,
                     "plan as for another machine that this one can stand "
                     "for: its name, or a file with its profile");
  command.add_option("--without", options->without,
                     "also measure plans without these ways, separated by "
                     "',': transpose, zip, unzip, program, stages");
  command.add_option("--tune", options->tune,
                     "measure what is fastest here, and write the profile of "
                     "this machine to this file");
  command
      .add_option("--tune-seconds", options->tune_seconds,
                  "how long --tune may take")
      .show_default()
      .in_range(1, 86400);
  command.add_flag("--cold", options->cold,
                   "no cache holds src and dst before each run");
  command.add_flag("--serve", options->serve,
                   "be the peer of another build: answer lines on stdin");
  command.add_option("--csv", options->csv, "also write a table to this file");
  command.add_option("--svg", options->svg, "also draw a chart to this file");
  command.add_option("--threads,-j", options->threads, "threads; 0: all")
      .show_default()
      .in_range(0, 4096);
  command.add_option("--rounds", options->rounds, "timed rounds")
      .show_default()
      .in_range(1, 1000);
  command
      .add_option("--timeout", options->timeout_seconds,
                  "seconds that a peer may take to answer")
      .show_default()
      .in_range(1, 86400);
  command.callback([&context, options] { run_bench(context, *options); });
}

}  // namespace stridewise::cli
