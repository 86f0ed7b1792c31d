// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "json.hpp"

namespace stridewise::cli {

// Members by their name: texts of others may have many.
using Parsed = nlohmann::json;

// From the library's values.
struct Read {
  // NOLINTNEXTLINE(misc-no-recursion): as deep as the value
  static Json from(const Parsed& value) {
    switch (value.type()) {
      case Parsed::value_t::object: {
        Json::Object object;
        for (const auto& [name, member] : value.items()) {
          object.names.push_back(name);
          object.values.push_back(from(member));
        }
        Json json;
        json.value_ = std::move(object);
        return json;
      }
      case Parsed::value_t::array: {
        Json array = Json::array();
        for (const Parsed& one : value) array.push_back(from(one));
        return array;
      }
      case Parsed::value_t::string:
        return value.get_ref<const std::string&>();
      case Parsed::value_t::boolean:
        return value.get<bool>();
      case Parsed::value_t::number_integer:
        return value.get<std::int64_t>();
      case Parsed::value_t::number_unsigned:
        return value.get<std::uint64_t>();
      case Parsed::value_t::number_float:
        return value.get<double>();
      default:
        return nullptr;
    }
  }
};

std::optional<Json> Json::parse(std::string_view text, std::string* why) {
  constexpr int deepest = 100;
  bool deep = false;
  bool twice = false;
  std::vector<std::set<std::string>> keys;  // of the objects around
  const auto sound = [&](int depth, Parsed::parse_event_t event,
                         Parsed& parsed) {
    deep = deep || depth > deepest;
    if (event == Parsed::parse_event_t::object_start) keys.emplace_back();
    if (event == Parsed::parse_event_t::object_end) keys.pop_back();
    if (event == Parsed::parse_event_t::key) {
      const bool first = keys.back().insert(parsed.get<std::string>()).second;
      twice = twice || !first;
    }
    return !deep;
  };
  try {
    const Parsed value = Parsed::parse(text, sound);
    if (!deep && !twice) return Read::from(value);
    if (why != nullptr)
      *why = deep ? "nested too deep" : "a key is there twice";
  } catch (const Parsed::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    const std::string_view message = error.what();
    const std::size_t end = message.find("] ");
    if (why != nullptr) {
      *why = message.substr(end == std::string_view::npos ? 0 : end + 2);
    }
  }
  return std::nullopt;
}

}  // namespace stridewise::cli
