// SPDX-License-Identifier: Apache-2.0
#include "backends/opencl/kernel_writer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace stridewise::opencl {
namespace {

// How values of a type pass through a kernel.
struct Passage {
  std::string memory;  // the type that a buffer holds
  std::string value;   // what it is in between
  std::string image;   // the suffix of read_image and write_image
  bool half = false;   // a buffer's values are loaded and stored as halves
};

Passage passage_of(const ElementType& type) {
  if (type.name == "f32") return {"float", "float", "f"};
  if (type.name == "f16") return {"half", "float", "f", true};
  const std::string width = type.bytes() == 1   ? "char"
                            : type.bytes() == 2 ? "short"
                                                : "int";
  if (type.kind == ElementKind::signed_integer) return {width, "int", "i"};
  return {"u" + width, "uint", "ui"};
}

// Bits as they are.
Passage opaque(std::int64_t bytes) {
  const std::string type = bytes == 1   ? "uchar"
                           : bytes == 2 ? "ushort"
                           : bytes == 4 ? "uint"
                           : bytes == 8 ? "ulong"
                                        : "ulong2";
  return {type, type, ""};
}

// Devices differ in what becomes of a NaN's bits; the host keeps the upper ones.
constexpr std::string_view store_half =
    R"(static inline void store_half(float value, size_t place, __global half *dst) {
  const uint bits = as_uint(value);
  if ((bits & 0x7fffffffu) <= 0x7f800000u) {
    vstore_half_rte(value, place, dst);
  } else {
    ((__global ushort *)dst)[place] =
        (ushort)((bits >> 16 & 0x8000u) | 0x7e00u | (bits >> 13 & 0x3ffu));
  }
}

)";

class KernelWriter {
 public:
  explicit KernelWriter(const KernelParts& parts)
      : parts_(parts),
        src_(parts.src),
        dst_(parts.dst),
        options_(parts.options),
        integer_(parts.bits == 32 ? "int" : "long") {
    const bool moves_bits = src_.storage == Storage::buffer &&
                            dst_.storage == Storage::buffer &&
                            src_.type == dst_.type;
    from_ = moves_bits ? opaque(src_.type.bytes()) : passage_of(src_.type);
    to_ = moves_bits ? from_ : passage_of(dst_.type);
  }

  std::string write() {
    text_ =
        "__constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE |\n"
        "    CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n\n";
    if (to_.half && dst_.storage == Storage::buffer) text_ += store_half;
    text_ += fmt::format(
        "__kernel void reorder({}, {}{}{}) {{\n",
        parameter(src_, from_, "src", "const ", "read_only"),
        parameter(dst_, to_, "dst", "", "write_only"),
        options_.batched ? fmt::format(",\n    const {0} src_first, const "
                                       "{0} dst_first, const {0} count",
                                       integer_)
                         : "",
        options_.check_bounds ? ",\n    volatile __global int *outside" : "");
    if (parts_.by_element) {
      move_element();
    } else if (dst_.storage == Storage::image) {
      gather_pixel();
    } else if (src_.storage == Storage::image) {
      scatter_pixel();
    } else {
      gather_place();
    }
    text_ += "}\n";
    return text_;
  }

 private:
  static std::string parameter(const Side& side, const Passage& passage,
                               const std::string& name,
                               const std::string& constness,
                               const std::string& access) {
    if (side.storage == Storage::image) return access + " image2d_t " + name;
    return fmt::format("__global {}{} *{}", constness, passage.memory, name);
  }

  void line(int depth, const std::string& text) {
    text_ +=
        std::string(static_cast<std::size_t>(2 * depth), ' ') + text + "\n";
  }

  // i0, i1 ... are the index in the order of the side that is walked; the other
  // side may name the same dims in another order.
  std::string indices(const Side& of, const Side& walked,
                      const char* prefix) const {
    std::string text;
    for (const Dim& dim : of.layout.shape()) {
      const auto at =
          std::ranges::find(walked.layout.shape(), dim.name, &Dim::name);
      text += fmt::format("{}{}i{}", text.empty() ? "" : ", ", prefix,
                          at - walked.layout.shape().begin());
    }
    return text;
  }

  void declare_index(int depth, const Side& walked) {
    for (std::size_t d = 0; d < walked.layout.shape().size(); ++d) {
      line(depth, fmt::format("{} i{} = 0;", integer_, d));
    }
  }

  // "name(a, b)", also where there is no b.
  static std::string call(const std::string& name, const std::string& a,
                          const std::string& b) {
    return name + "(" + a + (a.empty() || b.empty() ? "" : ", ") + b + ")";
  }

  // Leaves the place where the index is outside the batch; else makes the index
  // that of the other side.
  void select_batch(int depth, const std::string& own, const std::string& other,
                    const std::string& leave) {
    if (!options_.batched) return;
    line(depth,
         fmt::format("if (i0 < {0}_first || i0 >= {0}_first + count) {1}", own,
                     leave));
    line(depth, fmt::format("i0 += {}_first - {}_first;", other, own));
  }

  void check(int depth, const std::string& outside, const std::string& leave) {
    if (!options_.check_bounds) return;
    line(depth, fmt::format("if ({}) {{", outside));
    line(depth + 1, "atomic_inc(outside);");
    line(depth + 1, leave);
    line(depth, "}");
  }

  static std::string outside_image(const std::string& image,
                                   const std::string& x, const std::string& y) {
    return fmt::format(
        "{1} < 0 || {2} < 0 || {1} >= get_image_width({0}) || "
        "{2} >= get_image_height({0})",
        image, x, y);
  }

  // Places count in steps of so many bits; an element's last one lies within the memory.
  static std::string outside_buffer(const Side& side, std::int64_t unit,
                                    const std::string& place) {
    return fmt::format(
        "{0} < 0 || {0} >= {1}", place,
        (side.layout.size_bytes() * 8 - side.type.bits) / unit + 1);
  }

  // Sets `value` to the element of src at the index.
  void read_element(int depth, const std::string& leave) {
    if (src_.storage == Storage::buffer) {
      line(depth, fmt::format("const {} from = {};", integer_,
                              call("src_offset", indices(src_, dst_, ""), "")));
      check(depth, outside_buffer(src_, parts_.src_unit, "from"), leave);
      line(depth, "value = " + load("src", "from") + ";");
      return;
    }
    line(depth, fmt::format("{} row, column, lane;", integer_));
    line(depth, call("src_coordinates", indices(src_, dst_, ""),
                     "&row, &column, &lane") +
                    ";");
    check(depth, outside_image("src", "column", "row"), leave);
    line(depth, fmt::format("const {}4 from = read_image{}(src, nearest, "
                            "(int2)((int)column, (int)row));",
                            from_.value, from_.image));
    line(depth, fmt::format("const {} parts[4] = {{from.x, from.y, from.z, "
                            "from.w}};",
                            from_.value));
    line(depth, "value = parts[lane];");
  }

  // Elements that lie between multiples of their width are read and written as bytes:
  // those may lie anywhere.
  [[nodiscard]] std::string load(const std::string& memory,
                                 const std::string& place) const {
    if (from_.half) return fmt::format("vload_half({}, {})", place, memory);
    const std::int64_t bytes = src_.type.bytes();
    if (parts_.src_unit == src_.type.bits) {
      return fmt::format("{}[{}]", memory, place);
    }
    return fmt::format(
        "as_{}(vload{}(0, (__global const uchar *){} + {} * {}))", from_.memory,
        bytes, memory, place, parts_.src_unit / 8);
  }

  void write_element(int depth, const std::string& place,
                     const std::string& value) {
    if (to_.half) {
      line(depth, fmt::format("store_half({}, {}, dst);", value, place));
    } else if (parts_.dst_unit == dst_.type.bits) {
      line(depth, fmt::format("dst[{}] = ({}){};", place, to_.memory, value));
    } else {
      line(depth,
           fmt::format("vstore{0}(as_uchar{0}(({1}){2}), 0, (__global uchar "
                       "*)dst + {3} * {4});",
                       dst_.type.bytes(), to_.memory, value, place,
                       parts_.dst_unit / 8));
    }
  }

  // Each element by its number in the order of dst's dims.
  void move_element() {
    line(1, fmt::format("{0} rest = ({0})get_global_id(0);", integer_));
    const Shape& shape = dst_.layout.shape();
    for (std::size_t d = shape.size(); d-- > 0;) {
      line(1, fmt::format("const {} i{} = rest % {};", integer_, d,
                          shape[d].extent));
      line(1, fmt::format("rest /= {};", shape[d].extent));
    }
    line(1, fmt::format("const {} place = {};", integer_,
                        call("dst_offset", indices(dst_, dst_, ""), "")));
    check(1, outside_buffer(dst_, parts_.dst_unit, "place"), "return;");
    line(1, fmt::format("{} value = 0;", from_.value));
    read_element(1, "return;");
    write_element(1, "place", "value");
  }

  void begin_pixel(const Side& walked) {
    line(1, "const int x = (int)get_global_id(0);");
    line(1, "const int y = (int)get_global_id(1);");
    line(1, fmt::format("const {0} pixel = ({0})y * {1} + x * 4;", integer_,
                        walked.layout.axes()[0].pitch_bytes /
                            walked.layout.element_bytes()));
  }

  void gather_place() {
    line(1, fmt::format("const {0} place = ({0})get_global_id(0);", integer_));
    declare_index(1, dst_);
    check(1, outside_buffer(dst_, parts_.dst_unit, "place"), "return;");
    line(1, fmt::format("{} value = 0;", from_.value));
    const bool zeroes = options_.fill == Fill::zero && !options_.batched;
    line(1, fmt::format("if ({}) {{",
                        call("dst_index", "place", indices(dst_, dst_, "&"))));
    select_batch(2, "dst", "src", "return;");
    read_element(2, "return;");
    if (!zeroes) write_element(2, "place", "value");
    line(1, "}");
    if (zeroes) write_element(1, "place", "value");
  }

  void gather_pixel() {
    begin_pixel(dst_);
    line(1, fmt::format("{} lanes[4] = {{0, 0, 0, 0}};", from_.value));
    if (options_.batched) line(1, "int found = 0;");
    line(1, "for (int k = 0; k < 4; ++k) {");
    declare_index(2, dst_);
    line(2, fmt::format("if (!{}) continue;", call("dst_index", "pixel + k",
                                                   indices(dst_, dst_, "&"))));
    select_batch(2, "dst", "src", "continue;");
    line(2, fmt::format("{} value = 0;", from_.value));
    read_element(2, "continue;");
    line(2, "lanes[k] = value;");
    if (options_.batched) line(2, "found = 1;");
    line(1, "}");
    if (options_.batched) line(1, "if (!found) return;");
    check(1, outside_image("dst", "x", "y"), "return;");
    line(1, fmt::format("write_image{}(dst, (int2)(x, y), ({}4)(lanes[0], "
                        "lanes[1], lanes[2], lanes[3]));",
                        to_.image, to_.value));
  }

  void scatter_pixel() {
    begin_pixel(src_);
    check(1, outside_image("src", "x", "y"), "return;");
    line(1, fmt::format("const {}4 from = read_image{}(src, nearest, (int2)(x, "
                        "y));",
                        from_.value, from_.image));
    line(1, fmt::format("const {} lanes[4] = {{from.x, from.y, from.z, "
                        "from.w}};",
                        from_.value));
    line(1, "for (int k = 0; k < 4; ++k) {");
    declare_index(2, src_);
    line(2, fmt::format("if (!{}) continue;", call("src_index", "pixel + k",
                                                   indices(src_, src_, "&"))));
    select_batch(2, "src", "dst", "continue;");
    line(2, fmt::format("const {} place = {};", integer_,
                        call("dst_offset", indices(dst_, src_, ""), "")));
    check(2, outside_buffer(dst_, parts_.dst_unit, "place"), "continue;");
    write_element(2, "place", "lanes[k]");
    line(1, "}");
  }

  const KernelParts& parts_;
  const Side& src_;
  const Side& dst_;
  const KernelOptions& options_;
  std::string integer_;
  Passage from_;
  Passage to_;
  std::string text_;
};

}  // namespace

std::string write_kernel(const KernelParts& parts) {
  return KernelWriter(parts).write();
}

}  // namespace stridewise::opencl
