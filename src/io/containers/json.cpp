// SPDX-License-Identifier: Apache-2.0
#include "io/containers/json.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <utility>

namespace stridewise {
namespace {

constexpr int deepest_value = 8;

// The parser's events, handed on with a limit of depth.
class Events : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Events(JsonSink& sink) : sink_(sink) {}

  [[nodiscard]] const std::string& fault() const { return fault_; }

  bool null() override { return sink_.other(); }
  bool boolean(bool /*value*/) override { return sink_.other(); }
  // Only what has a sign comes here.
  bool number_integer(std::int64_t /*value*/) override { return sink_.other(); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > INT64_MAX) return sink_.other();
    return sink_.number(static_cast<std::int64_t>(value));
  }
  bool number_float(double /*value*/, const std::string& /*text*/) override {
    return sink_.other();
  }
  bool string(std::string& value) override { return sink_.text(value); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*size*/) override {
    return deeper() && sink_.begin_object();
  }
  bool key(std::string& name) override { return sink_.key(name); }
  bool end_object() override {
    --depth_;
    return sink_.end_object();
  }
  bool start_array(std::size_t /*size*/) override {
    return deeper() && sink_.begin_array();
  }
  bool end_array() override {
    --depth_;
    return sink_.end_array();
  }
  // The parser's own text repeats what it read last, which may be long and no text.
  bool parse_error(std::size_t position, const std::string& /*last_token*/,
                   const nlohmann::json::exception& /*why*/) override {
    fault_ =
        fmt::format("no JSON, or no UTF-8, at byte {} of its text", position);
    return false;
  }

 private:
  bool deeper() {
    if (++depth_ <= deepest_value) return true;
    fault_ = fmt::format("JSON that is deeper than {}", deepest_value);
    return false;
  }

  JsonSink& sink_;
  int depth_ = 0;
  std::string fault_;
};

}  // namespace

Result<void> read_json(std::string_view text, JsonSink& sink) {
  // The parser takes a zero byte for the end, and skips a byte order mark.
  if (const std::size_t zero = text.find('\0');
      zero != std::string_view::npos) {
    return fail(
        ErrorCode::io,
        fmt::format("no JSON, or no UTF-8, at byte {} of its text", zero + 1));
  }
  if (text.starts_with("\xef\xbb\xbf")) {
    return fail(ErrorCode::io, "JSON that begins with a byte order mark");
  }
  Events events(sink);
  const bool done = nlohmann::json::sax_parse(
      text.data(), text.data() + text.size(), &events,
      nlohmann::json::input_format_t::json, true, false);
  if (done) return {};
  return fail(ErrorCode::io,
              events.fault().empty() ? std::move(sink.fault) : events.fault());
}

std::string json_quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
    } else {
      quoted += c;
    }
  }
  quoted += '"';
  return quoted;
}

}  // namespace stridewise
