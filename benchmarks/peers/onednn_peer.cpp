// Peer: oneDNN's reorder primitive, for versions 2 and 3 of the library. It speaks
// the protocol of docs/bench.md.
//
// Both layouts as tags where the library has them; else strided descriptors of
// the rectangles that the problem comes with.
// SPDX-License-Identifier: Apache-2.0
#include <dnnl.h>
#include <dnnl_debug.h>

#include <algorithm>
#include <cstdint>
#include <dnnl.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "peer.hpp"

namespace {

using Json = peer::Json;
using peer::Cannot;
using Dims = dnnl::memory::dims;
using Type = dnnl::memory::data_type;

// The canonical tag (aBcd16b) of a layout that is one: digits with natural
// strides, slowest first, the undivided ones before all blocks.
std::optional<std::string> tag_of(const Json& layout, const Json& shape) {
  if (layout["base"] != 0) return std::nullopt;
  std::map<std::string, char> letters;
  for (const Json& dim : shape) {
    letters[dim["dim"]] = static_cast<char>('a' + letters.size());
  }
  std::string outer;
  std::string blocks;
  std::int64_t stride = 1;
  const auto& digits = layout["digits"];
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) {
    if ((*digit)["bias"] != 0 || (*digit)["stride"] != stride) {
      return std::nullopt;
    }
    stride *= (*digit)["extent"].get<std::int64_t>();
    const char letter = letters.at((*digit)["dim"]);
    if ((*digit)["mod"] == 0) {
      const bool blocked = (*digit)["div"] != 1;
      const char shown =
          blocked ? static_cast<char>(letter - 'a' + 'A') : letter;
      outer.insert(outer.begin(), shown);
    } else if (outer.empty()) {
      const auto block = (*digit)["mod"].get<std::int64_t>();
      blocks.insert(0, std::to_string(block) + letter);
    } else {
      return std::nullopt;
    }
  }
  if (outer.size() != shape.size()) return std::nullopt;
  return outer + blocks;
}

std::optional<dnnl::memory::format_tag> library_tag(const std::string& name) {
  for (int k = dnnl_format_tag_any + 1; k < dnnl_format_tag_last; ++k) {
    if (dnnl_fmt_tag2str(static_cast<dnnl_format_tag_t>(k)) == name) {
      return static_cast<dnnl::memory::format_tag>(k);
    }
  }
  return std::nullopt;
}

// One reorder: prepared, and its arguments.
struct Reorder {
  dnnl::memory src, dst;
  dnnl::reorder primitive;

  Reorder(const dnnl::engine& engine, const dnnl::memory::desc& src_desc,
          char* src_bytes, const dnnl::memory::desc& dst_desc, char* dst_bytes)
      : src(src_desc, engine, src_bytes),
        dst(dst_desc, engine, dst_bytes),
        primitive(src, dst) {}
};

class Solver {
 public:
  Solver(const Json& problem, char* src, char* dst) : src_(src), dst_(dst) {
    try {
      if (!prepare_tags(problem)) prepare_rectangles(problem);
    } catch (const dnnl::error& refused) {
      throw Cannot(std::string("no such reorder: ") + refused.what());
    }
  }

  void run() {
    for (Reorder& r : reorders_) r.primitive.execute(stream_, r.src, r.dst);
    stream_.wait();
  }

 private:
  // A type of that width that the library moves bit for bit.
  static Type carrier(std::int64_t element_bytes) {
    switch (element_bytes) {
      case 1:
        return Type::s8;
      case 2:
        return Type::bf16;
      case 4:
        return Type::f32;
      default:
        throw Cannot("no type of this width");
    }
  }

  // The types of both sides: where values change, what they are called.
  static std::pair<Type, Type> types_of(const Json& problem) {
    if (!problem.contains("to_dtype")) {
      const Type type = carrier(problem["element_bytes"]);
      return {type, type};
    }
    static const std::map<std::string, Type> named = {{"f32", Type::f32},
                                                      {"f16", Type::f16},
                                                      {"bf16", Type::bf16},
                                                      {"s8", Type::s8},
                                                      {"u8", Type::u8}};
    return {named.at(problem["dtype"]), named.at(problem["to_dtype"])};
  }

  bool prepare_tags(const Json& problem) {
    const Json& shape = problem["shape"];
    const auto width = problem["element_bytes"].get<std::int64_t>();
    const auto from = tag_of(problem["src"], shape);
    const auto to = tag_of(problem["dst"], shape);
    if (!from || !to || width > 4) return false;
    const auto src_tag = library_tag(*from);
    const auto dst_tag = library_tag(*to);
    if (!src_tag || !dst_tag) return false;
    const auto types = types_of(problem);
    Dims dims;
    for (const Json& dim : shape) dims.push_back(dim["extent"]);
    try {
      reorders_.emplace_back(
          engine_, dnnl::memory::desc(dims, types.first, *src_tag), src_,
          dnnl::memory::desc(dims, types.second, *dst_tag), dst_);
    } catch (const dnnl::error&) {
      return false;
    }
    return true;
  }

  void prepare_rectangles(const Json& problem) {
    if (problem["rectangles"].is_null()) {
      throw Cannot("neither tags nor a few strided rectangles");
    }
    const auto width = problem["element_bytes"].get<std::int64_t>();
    // Wider elements move as rows of 4-byte ones.
    const std::int64_t part = std::min<std::int64_t>(width, 4);
    const std::int64_t parts = width / part;
    const bool converts = problem.contains("to_dtype");
    const auto types =
        converts ? types_of(problem) : std::pair(carrier(part), carrier(part));
    const auto dst_width = problem.value("to_element_bytes", width);
    for (const Json& rectangle : problem["rectangles"]) {
      Dims extents = rectangle["extents"];
      Dims src_strides = rectangle["src_strides"];
      Dims dst_strides = rectangle["dst_strides"];
      for (Dims* strides : {&src_strides, &dst_strides}) {
        for (auto& stride : *strides) stride *= parts;
        strides->push_back(1);
      }
      extents.push_back(parts);
      if (extents.size() > DNNL_MAX_NDIMS) throw Cannot("too many dims");
      reorders_.emplace_back(
          engine_, dnnl::memory::desc(extents, types.first, src_strides),
          src_ + rectangle["src_offset"].get<std::int64_t>() * width,
          dnnl::memory::desc(extents, types.second, dst_strides),
          dst_ + rectangle["dst_offset"].get<std::int64_t>() * dst_width);
    }
  }

  dnnl::engine engine_{dnnl::engine::kind::cpu, 0};
  dnnl::stream stream_{engine_};
  char* src_;
  char* dst_;
  std::vector<Reorder> reorders_;
};

std::string version() {
  const dnnl_version_t* v = dnnl_version();
  return std::to_string(v->major) + "." + std::to_string(v->minor) + "." +
         std::to_string(v->patch);
}

}  // namespace

int main() { return peer::Server<Solver>(version()).serve(); }
