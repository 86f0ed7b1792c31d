// SPDX-License-Identifier: Apache-2.0
#include "reorder/values/wide_loops.hpp"

namespace stridewise {
namespace {

constexpr WideTable table = wide_table(Isa::portable);
constexpr WideConverters wide = all_wide(table);

}  // namespace

const WideConverters& portable::wide_converters() { return wide; }

}  // namespace stridewise
