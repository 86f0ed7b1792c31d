// SPDX-License-Identifier: Apache-2.0
#include "bench/serve.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <functional>
#include <iostream>
#include <memory>
#include <new>
#include <optional>
#include <string>

#include "bench/cold.hpp"
#include "bench/measure.hpp"
#include "bench/problem.hpp"
#include "buffer.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

[[noreturn]] void refuse_request(const std::string& message) {
  throw Failure{{ErrorCode::syntax, message}};
}

const Json& member(const Json& object, std::string_view name) {
  const Json* const found = object.find(name);
  if (found == nullptr)
    refuse_request("a question without " + std::string(name));
  return *found;
}

std::string text(const Json& object, std::string_view name) {
  return member(object, name).text().value_or("");
}

BoundProblem problem_of(const Json& texts) {
  Problem problem{text(texts, "dtype"), text(texts, "dtype"),
                  text(texts, "src"), text(texts, "dst"), text(texts, "shape")};
  problem.in_logical_order = member(texts, "in_logical_order").line() == "true";
  problem.part = text(texts, "part");
  for (const std::string& name : member(texts, "tables").names()) {
    problem.tables[name] = member(member(texts, "tables"), name)
                               .integers()
                               .value_or(std::vector<std::int64_t>());
  }
  return bind(std::move(problem));
}

// A conversion that is ready to be run again.
class Solved {
 public:
  Solved(const Json& problem, int threads)
      : bound_(problem_of(member(problem, "texts"))),
        plan_(value_of(Plan::make(bound_.src, bound_.dst,
                                  PlanOptions{.values = bound_.values}))),
        parallel_for_(make_parallel_for(threads)),
        src_(bound_.src.size_bytes()),
        dst_(bound_.dst.size_bytes()) {
    exchange(text(member(problem, "src"), "file"), O_RDONLY, src_);
    run();
    exchange(text(member(problem, "dst"), "file"), O_WRONLY, dst_);
  }

  double seconds(int repeats, bool cold) {
    std::function<void()> before;
    if (cold) {
      before = [this] {
        evict(src_.bytes());
        evict(dst_.bytes());
      };
    }
    return timed([this] { run(); }, before)(repeats) * repeats;
  }

 private:
  void run() { plan_.run(src_.data(), dst_.data(), parallel_for_); }

  // Reads src from its file, or writes dst to its own.
  static void exchange(const std::string& file, int mode,
                       const Buffer& memory) {
    const int descriptor = ::open(file.c_str(), mode | O_CLOEXEC);
    std::size_t at = 0;
    while (descriptor >= 0 && at < memory.bytes().size()) {
      const auto left = memory.bytes().size() - at;
      const ssize_t n = mode == O_RDONLY
                            ? ::pread(descriptor, memory.data() + at, left,
                                      static_cast<off_t>(at))
                            : ::pwrite(descriptor, memory.data() + at, left,
                                       static_cast<off_t>(at));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) break;
      at += static_cast<std::size_t>(n);
    }
    if (descriptor >= 0) ::close(descriptor);
    if (at < memory.bytes().size())
      refuse_request(file + ": cannot be read or written");
  }

  BoundProblem bound_;
  Plan plan_;
  ParallelFor parallel_for_;
  Buffer src_, dst_;
};

class Server {
 public:
  Json answer(const Json& question) {
    if (question.find("protocol") != nullptr) {
      threads_ =
          static_cast<int>(member(question, "threads").number().value_or(1));
      return {{"protocol", 1}, {"version", STRIDEWISE_VERSION}};
    }
    if (const Json* const problem = question.find("problem")) {
      solved_.reset();
      solved_ = std::make_unique<Solved>(*problem, threads_);
      return {{"ready", true}};
    }
    if (solved_ == nullptr) refuse_request("a run before a problem");
    constexpr double most_repeats = 1e9;
    const double told = member(question, "run").number().value_or(0);
    if (!(told >= 1 && told <= most_repeats))
      refuse_request("a run of no times");
    const Json* const cold = question.find("cold");
    const bool is_cold = cold != nullptr && cold->line() == "true";
    return {{"seconds", solved_->seconds(static_cast<int>(told), is_cold)}};
  }

 private:
  int threads_ = 1;
  std::unique_ptr<Solved> solved_;
};

}  // namespace

void serve() {
  Server server;
  for (std::string line; std::getline(std::cin, line);) {
    Json answer;
    try {
      const std::optional<Json> question = Json::parse(line);
      if (!question) refuse_request("no JSON");
      answer = server.answer(*question);
    } catch (const Failure& failure) {
      answer = {{"error", failure.error.message}};
    } catch (const std::bad_alloc&) {
      answer = {{"error", "too little memory"}};
    }
    std::cout << answer.line() << std::endl;
  }
}

}  // namespace stridewise::cli
