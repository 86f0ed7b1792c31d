// Synopsys embARC MLI. Here n counts filters (output channels): there is no
// batch. Shape order is physical order, slowest first.
// SPDX-License-Identifier: Apache-2.0
#include "catalogue/entries.hpp"

namespace stridewise {
namespace {

constexpr std::string_view source =
    "embARC MLI 2.0 doc/documents/mli_api_data/data_layouts.rst";
constexpr std::string_view nested =
    "each mem_stride must be at least the next shape times the next "
    "mem_stride: a view by permuted strides is no mli_tensor";

}  // namespace

std::vector<CatalogueEntry> mli_entries() {
  using enum CatalogueCheck::Relation;
  return {
      {.name = "mli.hwc",
       .summary = "feature map, channel last: inputs and outputs of kernels",
       .dims = {"h", "w", "c"},
       .params = {},
       .expression = "h w c",
       .checks = {},
       .source = source,
       .errata = {"The table's 'Output data layout = Number of (output) "
                  "channels' is a pasted cell; outputs are HWC."}},
      {.name = "mli.chw",
       .summary = "feature map, planes",
       .dims = {"h", "w", "c"},
       .params = {},
       .expression = "c h w",
       .checks = {},
       .source = source,
       .errata = {}},
      {.name = "mli.hwcn",
       .summary = "convolution weights: n filters innermost",
       .dims = {"h", "w", "c", "n"},
       .params = {},
       .expression = "h w c n",
       .checks = {},
       .source = source,
       .errata = {}},
      {.name = "mli.hw1n",
       .summary = "depthwise weights: one filter a channel",
       .dims = {"h", "w", "n"},
       .params = {},
       .expression = "h w n",
       .checks = {},
       .source = "embARC MLI 2.0 mli_prv_layout.h",
       .errata = {}},
      {.name = "mli.nchw",
       .summary = "weights of the older CHW kernels",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "n c h w",
       .checks = {},
       .source = "embARC MLI include/api/mli_helpers_api.h, KRNL_*_DIM_CHW",
       .errata = {}},
      {.name = "mli.nhwc",
       .summary = "weights of the older HWC kernels",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "n h w c",
       .checks = {},
       .source = "embARC MLI include/api/mli_helpers_api.h, KRNL_*_DIM_HWC",
       .errata = {}},
      {.name = "mli.strided",
       .summary = "HWC feature map with mem_stride in elements",
       .dims = {"h", "w", "c"},
       .params = {{.name = "hstride",
                   .default_value = "",
                   .doc = "mem_stride[0]: elements from row to row",
                   .min = 1},
                  {.name = "wstride",
                   .default_value = "",
                   .doc = "mem_stride[1]: elements from column to column",
                   .min = 1},
                  {.name = "cstride",
                   .default_value = "1",
                   .doc = "mem_stride[2]: elements from channel to channel; "
                          "convolutions need 1",
                   .min = 1}},
       .expression = "h:{hstride} w:{wstride} c:{cstride}",
       .checks = {{.left = "w*wstride",
                   .relation = at_most,
                   .right = "hstride",
                   .message = nested},
                  {.left = "c*cstride",
                   .relation = at_most,
                   .right = "wstride",
                   .message = nested}},
       .source = "embARC MLI 2.0 mli_check.cc, check_tensor_private",
       .errata = {"A comment in mli_types.h has mem_stride reversed; "
                  "mem_stride[0] belongs to the slowest dim.",
                  "A mem_stride of 0 ('compute it') is refused by the vendor's "
                  "own checks."}},
  };
}

}  // namespace stridewise
