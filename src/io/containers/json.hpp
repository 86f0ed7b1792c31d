// JSON as a series of events, so that a large text needs no tree in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "stridewise/result.hpp"

namespace stridewise {

// Told what a text has, in its order. Each answers false to stop; `fault` is why.
class JsonSink {
 public:
  JsonSink() = default;
  JsonSink(const JsonSink&) = delete;
  JsonSink& operator=(const JsonSink&) = delete;
  virtual ~JsonSink() = default;

  virtual bool begin_object() = 0;
  virtual bool end_object() = 0;
  virtual bool begin_array() = 0;
  virtual bool end_array() = 0;
  virtual bool key(std::string& name) = 0;    // which may be moved from
  virtual bool text(std::string& value) = 0;  // as well
  virtual bool number(std::int64_t value) = 0;
  // null, true, false, and numbers that are not whole and in 0 .. 2^63 - 1.
  virtual bool other() = 0;

  std::string fault;

 protected:
  bool stop(std::string why) {
    fault = std::move(why);
    return false;
  }
};

// Errors: the sink's fault; the text is no JSON, no UTF-8, deeper than 8, or more than one
// value.
[[nodiscard]] Result<void> read_json(std::string_view text, JsonSink& sink);

// A text in quotes, as JSON has it.
[[nodiscard]] std::string json_quoted(std::string_view text);

}  // namespace stridewise
