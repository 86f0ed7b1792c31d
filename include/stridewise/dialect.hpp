// Layouts as other programs write them: read and written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/result.hpp"

namespace stridewise {

// How somebody writes layouts.
enum class Dialect : std::uint8_t {
  onednn,    // nChw16c
  tvm,       // NCHW16c, OIHW16i16o; without blocks NCHW, which all know
  openvino,  // b_fs_yx_fsv16, os_is_yx_isv16_osv16
  xla,       // {1,0:T(8,128)(2,1)}
  cute,      // ((4,8),(2,2)):((32,1),(16,8)), Sw<3,4,3> o ...
  tirx,      // S[(8,2,4,2):(4@laneid,1@warpid,1@laneid,1)]
  numpy,     // numpy(240,80,20,4): strides in bytes
  torch,     // torch(60,20,5,1): strides in elements, as DLPack has them, too
};

// The names above, in that order.
[[nodiscard]] std::vector<std::string> dialect_names();

// By the names above. Error unknown_name lists them.
[[nodiscard]] Result<Dialect> parse_dialect(std::string_view name);

// A text of a dialect, understood.
struct DialectText {
  Expression expression;
  std::vector<std::string> dims;      // logical order
  bool positional = false;            // dims are a, b, c ...
  bool spells_dims = false;           // the text has letters for dims
  std::vector<std::int64_t> extents;  // of the dims, if the text tells them
  std::int64_t elements = 0;          // or only their product; 0: not told
  std::int64_t element_bits = 0;      // if the text tells the type; 0: not told
  std::string element_type = {};      // its name, if the text tells it
};

// What a text says if it is of one of the dialects, tags of oneDNN apart; nullopt: it is of
// none. Dims of positions take the names of `known_dims` where there are as many.
// Errors: a text that is of a dialect by its form, and wrong.
[[nodiscard]] std::optional<Result<DialectText>> read_dialect(
    std::string_view text, std::span<const std::string> known_dims = {});

// The layout in that dialect. Reading it again gives the same places. Errors: unsupported,
// with what the dialect cannot say.
[[nodiscard]] Result<std::string> print_as(const Layout& layout,
                                           Dialect dialect);

}  // namespace stridewise
