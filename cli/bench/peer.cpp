// SPDX-License-Identifier: Apache-2.0
#include "bench/peer.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "bench/rectangles.hpp"

namespace stridewise::cli {
namespace {

namespace fs = std::filesystem;

constexpr int protocol = 1;
constexpr std::size_t most_rectangles = 64;  // a question stays one short line

fs::path peers_folder() {
  const char* folder = std::getenv("STRIDEWISE_PEERS");
  return folder != nullptr ? folder : STRIDEWISE_PEERS_FOLDER;
}

bool is_program(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

std::optional<std::string> text_of(const Json& object, std::string_view name) {
  const Json* const member = object.find(name);
  return member == nullptr ? std::nullopt : member->text();
}

Json layout_json(const Layout& layout, const LayoutSource& source,
                 const SharedFile& file) {
  Json digits = Json::array();
  for (const BoundTerm& term : layout.terms()) {
    const Dim& dim = layout.shape()[static_cast<std::size_t>(term.dim)];
    digits.push_back({{"dim", dim.name},
                      {"bias", term.bias},
                      {"div", term.div},
                      {"mod", term.mod},
                      {"extent", term.extent},
                      {"stride", term.flat_stride}});
  }
  Json json = {{"file", file.path()}, {"bytes", layout.size_bytes()}};
  if (layout.plain()) {
    json["base"] = layout.base_offset();
    json["digits"] = std::move(digits);
  }
  constexpr std::string_view onednn = "onednn.";
  if (source.name.starts_with(onednn)) {
    json["tag"] = source.name.substr(onednn.size());
  }
  return json;
}

Json rectangles_json(const Layout& src, const Layout& dst) {
  const auto all = rectangles(src, dst);
  if (!all || all->size() > most_rectangles) return nullptr;
  Json json = Json::array();
  for (const Rectangle& rectangle : *all) {
    Json extents = Json::array();
    Json src_strides = Json::array();
    Json dst_strides = Json::array();
    for (const StridedLoop& loop : rectangle.loops) {
      extents.push_back(loop.extent);
      src_strides.push_back(loop.src_stride);
      dst_strides.push_back(loop.dst_stride);
    }
    json.push_back({{"extents", std::move(extents)},
                    {"src_offset", rectangle.src_offset},
                    {"src_strides", std::move(src_strides)},
                    {"dst_offset", rectangle.dst_offset},
                    {"dst_strides", std::move(dst_strides)}});
  }
  return json;
}

// The problem as it was written, for other builds of this program.
Json texts_json(const Problem& problem) {
  Json tables = Json::object();
  for (const auto& [name, entries] : problem.tables) tables[name] = entries;
  return {{"dtype", problem.dtype},
          {"src", problem.src},
          {"dst", problem.dst},
          {"shape", problem.shape},
          {"in_logical_order", problem.in_logical_order},
          {"part", problem.part},
          {"tables", std::move(tables)}};
}

Json problem_json(const BoundProblem& problem, const SharedTensors& tensors) {
  Json shape = Json::array();
  for (const Dim& dim : problem.src.shape()) {
    shape.push_back({{"dim", dim.name}, {"extent", dim.extent}});
  }
  Json json = {
      {"name", problem.text.name},
      {"dtype", problem.src_type.name},
      {"element_bytes", problem.src_type.bytes()},
      {"shape", std::move(shape)},
      {"src", layout_json(problem.src, problem.src_source, tensors.src)},
      {"dst", layout_json(problem.dst, problem.dst_source, tensors.dst)},
      {"rectangles", rectangles_json(problem.src, problem.dst)}};
  if (problem.values) {
    json["to_dtype"] = problem.dst_type.name;
    json["to_element_bytes"] = problem.dst_type.bytes();
  }
  return json;
}

Error no_such_peer(const std::string& name) {
  std::vector<std::string> known = installed_peers();
  for (const char* own : {"memcpy", "nt", "all"}) known.emplace_back(own);
  const std::string hint = nearest(name, known);
  return {ErrorCode::unknown_name,
          fmt::format(
              "{}: no peer of this name in {}{}; `tools/setup.sh bench` "
              "brings those of docs/bench.md, `tools/setup.sh "
              "bench torch` also torch, and NAME=PROGRAM is any other",
              name, peers_folder().string(),
              hint.empty() ? "" : fmt::format("; did you mean '{}'?", hint))};
}

}  // namespace

// ------------------------------------------------------------- SharedFile ---

SharedFile::SharedFile() : descriptor_(::memfd_create("tensor", MFD_CLOEXEC)) {
  if (descriptor_ < 0) {
    throw Failure{{ErrorCode::io, fmt::format("cannot share memory: {}",
                                              std::strerror(errno))}};
  }
}

SharedFile::~SharedFile() { ::close(descriptor_); }

std::string SharedFile::path() const {
  return fmt::format("/proc/{}/fd/{}", ::getpid(), descriptor_);
}

void SharedFile::write(std::span<const std::byte> bytes) {
  clear(0);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pwrite(descriptor_, bytes.data() + at,
                               bytes.size() - at, static_cast<off_t>(at));
    if (n <= 0) throw std::bad_alloc();
    at += static_cast<std::size_t>(n);
  }
}

void SharedFile::clear(std::int64_t size) {
  if (::ftruncate(descriptor_, 0) != 0 || ::ftruncate(descriptor_, size) != 0) {
    throw std::bad_alloc();
  }
}

bool SharedFile::equals(std::span<const std::byte> bytes) const {
  std::vector<std::byte> part(1 << 20);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::pread(descriptor_, part.data(),
                              std::min(part.size(), bytes.size() - at),
                              static_cast<off_t>(at));
    if (n <= 0) return false;
    const auto count = static_cast<std::size_t>(n);
    if (std::memcmp(part.data(), bytes.data() + at, count) != 0) return false;
    at += count;
  }
  return true;
}

// ------------------------------------------------------------------- Peer ---

std::vector<std::string> installed_peers() {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry :
       fs::directory_iterator(peers_folder(), error)) {
    if (is_program(entry.path())) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

Result<Peer> Peer::start(const std::string& name, int threads,
                         int timeout_seconds) {
  const std::size_t equals = name.find('=');
  const fs::path program = equals == std::string::npos
                               ? peers_folder() / name
                               : fs::path(name.substr(equals + 1));
  if (!is_program(program)) {
    if (equals == std::string::npos) return unexpected(no_such_peer(name));
    return fail(ErrorCode::io,
                fmt::format("{}: {} is not a program", name.substr(0, equals),
                            program.string()));
  }
  Peer peer(name.substr(0, equals), fs::absolute(program), threads,
            timeout_seconds);
  if (Result<void> greeted = peer.greet(); !greeted) {
    return unexpected(std::move(greeted.error()));
  }
  return peer;
}

Result<Peer> Peer::start_build(const fs::path& program, std::string name,
                               int threads, int timeout_seconds) {
  if (!is_program(program)) {
    return fail(ErrorCode::io,
                fmt::format("{} is not a program", program.string()));
  }
  Peer peer(std::move(name), fs::absolute(program), threads, timeout_seconds);
  peer.arguments_ = {"bench", "--serve"};
  if (Result<void> greeted = peer.greet(); !greeted) {
    return unexpected(std::move(greeted.error()));
  }
  return peer;
}

Result<void> Peer::greet() {
  // Libraries read it once, when they are loaded.
  Result<LineProcess> process = LineProcess::start(
      program_, arguments_, {{"OMP_NUM_THREADS", std::to_string(threads_)}});
  if (!process) return unexpected(std::move(process.error()));
  process_ = std::make_unique<LineProcess>(*std::move(process));
  const Result<Json> answer =
      ask({{"protocol", protocol}, {"threads", threads_}});
  if (!answer) return unexpected(answer.error());
  std::optional<std::string> version = text_of(*answer, "version");
  if (!version) {
    process_.reset();
    return fail(ErrorCode::io, name_ + ": its greeting has no version");
  }
  version_ = *std::move(version);
  return {};
}

Result<Json> Peer::ask(const Json& question) {
  const Result<std::string> line =
      process_->ask(question.line(), timeout_seconds_);
  std::string fault;
  if (line) {
    const Json answer = Json::parse(*line).value_or(nullptr);
    if (!answer.is_object()) {
      fault =
          fmt::format("answers no JSON object, but '{}'", line->substr(0, 80));
    } else if (const Json* const error = answer.find("error")) {
      fault = error->text().value_or(error->line());
    } else {
      return answer;
    }
  } else {
    fault = line.error().message;
  }
  process_.reset();
  return fail(ErrorCode::io, one_line(fmt::format("{}: {}", name_, fault)));
}

Result<std::string> Peer::solve(const BoundProblem& problem,
                                const SharedTensors& tensors) {
  if (process_ == nullptr) {
    if (Result<void> greeted = greet(); !greeted) {
      return unexpected(std::move(greeted.error()));
    }
  }
  Json told = problem_json(problem, tensors);
  if (is_build()) told["texts"] = texts_json(problem.text);
  const Result<Json> answer = ask({{"problem", std::move(told)}});
  if (!answer) return unexpected(answer.error());
  if (const auto reason = text_of(*answer, "cannot")) {
    return reason->empty() ? "no reason given" : *reason;
  }
  if (answer->find("ready") != nullptr) return std::string();
  process_.reset();
  return fail(ErrorCode::io,
              name_ + ": answers a problem with neither ready nor cannot");
}

Result<double> Peer::run(int repeats, bool cold) {
  Json question = {{"run", repeats}};
  if (cold) question["cold"] = true;
  const Result<Json> answer = ask(question);
  if (!answer) return unexpected(answer.error());
  const Json* const told = answer->find("seconds");
  const double seconds = told == nullptr ? 0 : told->number().value_or(0);
  if (std::isfinite(seconds) && seconds > 0) return seconds / repeats;
  process_.reset();
  return fail(ErrorCode::io, name_ + ": answers a run without its seconds");
}

}  // namespace stridewise::cli
