// The core of the page: what JavaScript calls. A question is a name and words; the answer is
// JSON that stays until the next question.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>

#include "reply.hpp"

#define STRIDEWISE_EXPORT(name) extern "C" __attribute__((export_name(#name)))

namespace {

using namespace stridewise::explorer;
using stridewise::ErrorCode;

struct Question {
  std::string_view name;
  Reply (*answer)(const Request& request);
};

constexpr std::array questions = {
    Question{"presets", presets}, Question{"complete", complete},
    Question{"needs", needs},     Question{"facts", facts},
    Question{"draw", draw},       Question{"map", memory_map},
    Question{"at", at},           Question{"who", who},
    Question{"plan", plan},       Question{"code", code},
    Question{"open", open_file},  Question{"close", close_file},
    Question{"values", values},   Question{"check", check},
    Question{"compare", compare}, Question{"infer", infer_layout}};

Reply answer_to(const Request& request) {
  const std::string& name = request.text("ask");
  const auto question = std::ranges::find(questions, name, &Question::name);
  if (question == questions.end()) {
    return stridewise::fail(ErrorCode::unknown_name, "no question " + name);
  }
  return question->answer(request);
}

std::string& last_answer() {
  static std::string text;
  return text;
}

}  // namespace

STRIDEWISE_EXPORT(stridewise_allocate)
void* stridewise_allocate(std::size_t bytes) { return std::malloc(bytes); }

STRIDEWISE_EXPORT(stridewise_release)
void stridewise_release(void* memory) { std::free(memory); }

// Takes the question's words: see Request. The answer's bytes are at the place that is
// returned, as many as stridewise_answer_bytes() says.
STRIDEWISE_EXPORT(stridewise_ask)
const char* stridewise_ask(const char* words, std::size_t bytes) {
  const Reply reply = answer_to(Request({words, bytes}));
  Json json = reply ? *reply : Json{{"error", error_json(reply.error())}};
  last_answer() = json.line();
  return last_answer().data();
}

STRIDEWISE_EXPORT(stridewise_answer_bytes)
std::size_t stridewise_answer_bytes() { return last_answer().size(); }
