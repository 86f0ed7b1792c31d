// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace stridewise::cli {

using Library = nlohmann::ordered_json;

// To and from the library's values.
struct Written {
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the value
  static Library of(const Json& json) {
    return std::visit([](const auto& value) { return of_value(value); },
                      json.value_);
  }

  template <class T>
  static Library of_value(const T& value) {
    if constexpr (std::is_same_v<T, std::monostate>) {
      return nullptr;
    } else if constexpr (std::is_same_v<T, std::vector<Json>>) {
      Library array = Library::array();
      for (const Json& one : value) array.push_back(of(one));
      return array;
    } else if constexpr (std::is_same_v<T, std::vector<Json::Member>>) {
      // Names are not looked up: they differ.
      Library object = Library::object();
      auto& members = object.get_ref<Library::object_t&>();
      members.reserve(value.size());
      for (const Json::Member& one : value) {
        members.std::vector<Library::object_t::value_type>::emplace_back(
            one.name, of(one.value));
      }
      return object;
    } else {
      return value;
    }
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the value
  static Json from(const Library& value) {
    switch (value.type()) {
      case Library::value_t::object: {
        Json object = Json::object();
        for (const auto& [name, member] : value.items()) {
          object[name] = from(member);
        }
        return object;
      }
      case Library::value_t::array: {
        Json array = Json::array();
        for (const Library& one : value) array.push_back(from(one));
        return array;
      }
      case Library::value_t::string:
        return value.get_ref<const std::string&>();
      case Library::value_t::boolean:
        return value.get<bool>();
      case Library::value_t::number_integer:
        return value.get<std::int64_t>();
      case Library::value_t::number_unsigned:
        return value.get<std::uint64_t>();
      case Library::value_t::number_float:
        return value.get<double>();
      default:
        return nullptr;
    }
  }
};

Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::initializer_list<Member> members)
    : value_(std::vector<Member>(members)) {}

Json Json::array() {
  Json json;
  json.value_ = std::vector<Json>();
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = std::vector<Member>();
  return json;
}

std::optional<Json> Json::parse(std::string_view text, std::string* why) {
  constexpr int deepest = 100;
  bool deep = false;
  const auto shallow = [&](int depth, Library::parse_event_t, Library&) {
    deep = deep || depth > deepest;
    return !deep;
  };
  try {
    const Library value = Library::parse(text, shallow);
    if (!deep) return Written::from(value);
    if (why != nullptr) *why = "nested too deep";
  } catch (const Library::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string_view message = error.what();
    const std::size_t end = message.find("] ");
    if (why != nullptr) {
      *why = message.substr(end == std::string_view::npos ? 0 : end + 2);
    }
  }
  return std::nullopt;
}

void Json::push_back(Json value) {
  std::get<std::vector<Json>>(value_).push_back(std::move(value));
}

Json& Json::operator[](std::string_view name) {
  auto& members = std::get<std::vector<Member>>(value_);
  const auto found = std::ranges::find(members, name, &Member::name);
  if (found != members.end()) return found->value;
  return members.emplace_back(Member{std::string(name), {}}).value;
}

void Json::update(const Json& other) {
  for (const Member& member : std::get<std::vector<Member>>(other.value_)) {
    (*this)[member.name] = member.value;
  }
}

const Json* Json::find(std::string_view name) const {
  const auto* const members = std::get_if<std::vector<Member>>(&value_);
  if (members == nullptr) return nullptr;
  const auto found = std::ranges::find(*members, name, &Member::name);
  return found == members->end() ? nullptr : &found->value;
}

bool Json::is_object() const {
  return std::holds_alternative<std::vector<Member>>(value_);
}

std::optional<std::string> Json::text() const {
  const auto* const text = std::get_if<std::string>(&value_);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<double> Json::number() const {
  return std::visit(
      [](const auto& value) -> std::optional<double> {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
          return static_cast<double>(value);
        } else {
          return std::nullopt;
        }
      },
      value_);
}

std::size_t Json::size() const {
  if (const auto* const all = std::get_if<std::vector<Json>>(&value_)) {
    return all->size();
  }
  const auto* const members = std::get_if<std::vector<Member>>(&value_);
  return members == nullptr ? 0 : members->size();
}

std::string Json::lines() const {
  return Written::of(*this).dump(2, ' ', false,
                                 Library::error_handler_t::replace);
}

std::string Json::line() const {
  return Written::of(*this).dump(-1, ' ', true,
                                 Library::error_handler_t::replace);
}

}  // namespace stridewise::cli
