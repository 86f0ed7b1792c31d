// What commands answer with --json: a value that is built up here and written by
// nlohmann's library, which only json.cpp reads: it takes longer to compile than any
// command.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace stridewise::cli {

class Json {
 public:
  struct Member;

  Json() = default;
  Json(std::nullptr_t) {}                  // NOLINT: all of these are values
  Json(bool value) : value_(value) {}      // NOLINT
  Json(double number) : value_(number) {}  // NOLINT
  Json(std::string text);                  // NOLINT
  Json(std::string_view text);             // NOLINT
  Json(const char* text);                  // NOLINT
  Json(std::initializer_list<Member> members);  // an object
  template <std::integral Number>
  Json(Number number) {  // NOLINT
    if constexpr (std::is_signed_v<Number>) {
      value_ = std::int64_t{number};
    } else {
      value_ = std::uint64_t{number};
    }
  }
  template <class T>
  Json(const std::vector<T>& values) : value_(std::vector<Json>()) {  // NOLINT
    for (const T& value : values) push_back(value);
  }

  [[nodiscard]] static Json array();
  [[nodiscard]] static Json object();
  // The value of a text; nullopt where it is no JSON, and why in `why`.
  [[nodiscard]] static std::optional<Json> parse(std::string_view text,
                                                 std::string* why = nullptr);

  // Pre: an array.
  void push_back(Json value);
  // The member of that name, at the end where there is none yet. Pre: an object.
  Json& operator[](std::string_view name);
  // Takes all members of another object. Pre: objects.
  void update(const Json& other);

  // The member of that name, or nullptr: also where this is no object.
  [[nodiscard]] const Json* find(std::string_view name) const;
  [[nodiscard]] bool is_object() const;
  // Of an object's members, in order; of others none.
  [[nodiscard]] std::vector<std::string> names() const;
  // The value, where it is of that kind.
  [[nodiscard]] std::optional<std::string> text() const;
  [[nodiscard]] std::optional<double> number() const;
  // Of an array of integers that a std::int64_t holds.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> integers() const;
  // Of members and elements; 0 for other values.
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] bool empty() const { return size() == 0; }

  // Text of several lines, or of one line of plain ASCII. What is no UTF-8 is
  // replaced.
  [[nodiscard]] std::string lines() const;
  [[nodiscard]] std::string line() const;

 private:
  friend struct Read;
  friend struct Written;
  // Member k is names[k] and values[k].
  struct Object {
    std::vector<std::string> names;
    std::vector<Json> values;
  };
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double,
               std::string, std::vector<Json>, Object>
      value_;
};

struct Json::Member {
  std::string name;
  Json value;
};

}  // namespace stridewise::cli
