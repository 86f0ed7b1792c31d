// SPDX-License-Identifier: Apache-2.0
#include "bench/report.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace stridewise::cli {
namespace {

std::string_view status_name(PeerResult::Status status) {
  constexpr std::array<std::string_view, 4> names = {"timed", "cannot", "wrong",
                                                     "error"};
  return names[static_cast<std::size_t>(status)];
}

Json peer_json(const PeerResult& peer, double seconds) {
  if (peer.status == PeerResult::Status::timed) {
    return {{"seconds", peer.seconds}, {"ratio", peer.seconds / seconds}};
  }
  return {{std::string(status_name(peer.status)), peer.reason}};
}

Json case_json(const CaseResult& result) {
  Json json = {{"name", result.problem.name},
               {"dtype", result.problem.dtype},
               {"src", result.problem.src},
               {"dst", result.problem.dst},
               {"shape", result.problem.shape},
               {"bytes", result.bytes},
               {"seconds", result.seconds},
               {"gbps", result.gbps(result.seconds)},
               {"memcpy_gbps", result.gbps(result.memcpy_seconds)},
               {"memcpy_ratio", result.memcpy_ratio()}};
  if (result.nt_seconds) {
    json["nt_gbps"] = result.gbps(*result.nt_seconds);
    json["nt_ratio"] = *result.nt_ratio();
  }
  Json peers = Json::object();
  for (const PeerResult& peer : result.peers) {
    peers[peer.name] = peer_json(peer, result.seconds);
  }
  json["peers"] = std::move(peers);
  if (const PeerResult* best = result.best_peer()) {
    json["best_peer"] = best->name;
    json["best_peer_ratio"] = *result.best_peer_ratio();
  }
  return json;
}

Json summary_json(const RatioSummary& summary) {
  Json json = Json::object();
  const std::array<std::pair<const char*, std::optional<double>>, 3> ratios = {
      {{"memcpy_ratio", summary.memcpy},
       {"nt_ratio", summary.nt},
       {"best_peer_ratio", summary.best_peer}}};
  for (const auto& [key, ratio] : ratios) {
    if (ratio) json[key] = *ratio;
  }
  return json;
}

std::string ratio_cell(std::optional<double> ratio) {
  return ratio ? fmt::format("{:8.2f}x", *ratio) : fmt::format("{:>9}", "-");
}

std::string ratio_cells(const RatioSummary& summary) {
  return fmt::format("{} {} {}", ratio_cell(summary.memcpy),
                     ratio_cell(summary.nt), ratio_cell(summary.best_peer));
}

// A field as RFC 4180 wants it.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + "\"";
}

std::string csv_number(std::optional<double> value) {
  return value ? fmt::format("{}", *value) : "";
}

}  // namespace

Json results_json(const BenchResult& results) {
  Json cases = Json::array();
  for (const CaseResult& result : results.cases) {
    cases.push_back(case_json(result));
  }
  Json peers = Json::object();
  for (const PeerInfo& peer : results.peers) peers[peer.name] = peer.version;
  return {{"cases", std::move(cases)},
          {"geomean", summary_json(geometric_mean(results.cases))},
          {"minimum", summary_json(minimum(results.cases))},
          {"peers", std::move(peers)},
          {"threads", results.threads},
          {"rounds", results.rounds},
          {"cold", results.cold},
          {"machine", Json{{"cpu", results.machine.cpu},
                           {"cores", results.machine.cores},
                           {"date", results.machine.date}}}};
}

std::string table_heading() {
  return fmt::format("{:<42} {:>8} {:>7} {:>9} {:>9} {:>9} {}\n", "conversion",
                     "MiB", "GB/s", "of memcpy", "of nt", "of best", "peer");
}

std::string table_row(const CaseResult& result) {
  const PeerResult* best = result.best_peer();
  return fmt::format(
      "{:<42} {:>8.1f} {:>7.1f} {} {} {} {}\n", result.problem.name,
      static_cast<double>(result.bytes) / (1 << 20),
      result.gbps(result.seconds), ratio_cell(result.memcpy_ratio()),
      ratio_cell(result.nt_ratio()), ratio_cell(result.best_peer_ratio()),
      best == nullptr ? "-" : best->name);
}

std::string table_summary(const BenchResult& results) {
  std::string text =
      fmt::format("{:<59} {}\n{:<59} {}\n", "geometric mean",
                  ratio_cells(geometric_mean(results.cases)), "minimum",
                  ratio_cells(minimum(results.cases)));
  // The same reason often stands for many cases.
  std::map<std::string, int> told;
  for (const CaseResult& result : results.cases) {
    for (const PeerResult& peer : result.peers) {
      if (peer.status == PeerResult::Status::timed) continue;
      ++told[fmt::format("{} ({}): {}", peer.name, status_name(peer.status),
                         peer.reason)];
    }
  }
  for (const auto& [line, cases] : told) {
    text += fmt::format("{} case{}: {}\n", cases, cases == 1 ? "" : "s",
                        one_line(line));
  }
  return text;
}

std::string results_csv(const BenchResult& results) {
  std::string text =
      "name,dtype,src,dst,shape,bytes,seconds,gbps,memcpy_ratio,nt_ratio,"
      "best_peer,best_peer_ratio";
  for (const PeerInfo& peer : results.peers) {
    text += "," + csv_field(peer.name + "_seconds");
  }
  text += "\r\n";
  for (const CaseResult& result : results.cases) {
    const Problem& problem = result.problem;
    for (const std::string* field :
         {&problem.name, &problem.dtype, &problem.src, &problem.dst,
          &problem.shape}) {
      text += csv_field(*field) + ",";
    }
    const PeerResult* best = result.best_peer();
    text += fmt::format("{},{},{},{},{},{},{}", result.bytes, result.seconds,
                        result.gbps(result.seconds), result.memcpy_ratio(),
                        csv_number(result.nt_ratio()),
                        csv_field(best ? best->name : ""),
                        csv_number(result.best_peer_ratio()));
    for (const PeerResult& peer : result.peers) {
      const bool timed = peer.status == PeerResult::Status::timed;
      text += "," + (timed ? csv_number(peer.seconds) : "");
    }
    text += "\r\n";
  }
  return text;
}

}  // namespace stridewise::cli
