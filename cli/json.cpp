// SPDX-License-Identifier: Apache-2.0
#include "json.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <vector>

namespace stridewise::cli {

using Library = nlohmann::ordered_json;

// To the library's values.
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
    } else if constexpr (std::is_same_v<T, Json::Object>) {
      // Names differ, so none is looked up.
      Library object = Library::object();
      auto& members = object.get_ref<Library::object_t&>();
      for (std::size_t k = 0; k < value.names.size(); ++k) {
        members.std::vector<Library::object_t::value_type>::emplace_back(
            value.names[k], of(value.values[k]));
      }
      return object;
    } else {
      return value;
    }
  }
};

Json::Json(std::string text) : value_(std::move(text)) {}
Json::Json(std::string_view text) : value_(std::string(text)) {}
Json::Json(const char* text) : value_(std::string(text)) {}
Json::Json(std::initializer_list<Member> members) {
  Object object;
  for (const Member& member : members) {
    object.names.push_back(member.name);
    object.values.push_back(member.value);
  }
  value_ = std::move(object);
}

Json Json::array() {
  Json json;
  json.value_ = std::vector<Json>();
  return json;
}

Json Json::object() {
  Json json;
  json.value_ = Object();
  return json;
}

void Json::push_back(Json value) {
  std::get<std::vector<Json>>(value_).push_back(std::move(value));
}

Json& Json::operator[](std::string_view name) {
  auto& [names, values] = std::get<Object>(value_);
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) {
    return values[static_cast<std::size_t>(found - names.begin())];
  }
  names.emplace_back(name);
  return values.emplace_back();
}

void Json::update(const Json& other) {
  const auto& [names, values] = std::get<Object>(other.value_);
  for (std::size_t k = 0; k < names.size(); ++k) (*this)[names[k]] = values[k];
}

const Json* Json::find(std::string_view name) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::ranges::find(object->names, name);
  if (found == object->names.end()) return nullptr;
  return &object
              ->values[static_cast<std::size_t>(found - object->names.begin())];
}

std::vector<std::string> Json::names() const {
  const auto* const object = std::get_if<Object>(&value_);
  return object == nullptr ? std::vector<std::string>() : object->names;
}

bool Json::is_object() const { return std::holds_alternative<Object>(value_); }

std::optional<std::string> Json::text() const {
  const auto* const text = std::get_if<std::string>(&value_);
  return text == nullptr ? std::nullopt : std::optional(*text);
}

std::optional<std::vector<std::int64_t>> Json::integers() const {
  const auto* const values = std::get_if<std::vector<Json>>(&value_);
  if (values == nullptr) return std::nullopt;
  std::vector<std::int64_t> integers;
  for (const Json& one : *values) {
    const auto* const is_signed = std::get_if<std::int64_t>(&one.value_);
    const auto* const is_unsigned = std::get_if<std::uint64_t>(&one.value_);
    if (is_signed != nullptr) {
      integers.push_back(*is_signed);
    } else if (is_unsigned != nullptr &&
               std::in_range<std::int64_t>(*is_unsigned)) {
      integers.push_back(static_cast<std::int64_t>(*is_unsigned));
    } else {
      return std::nullopt;
    }
  }
  return integers;
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
  const auto* const object = std::get_if<Object>(&value_);
  return object == nullptr ? 0 : object->names.size();
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
