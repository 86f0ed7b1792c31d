// MACE: tensors as OpenCL RGBA images (rows of pixels of four lanes), and the
// filter buffers of its GPU kernels. Lanes past a tail are zero.
// SPDX-License-Identifier: Apache-2.0
#include "catalogue/entries.hpp"

namespace stridewise {
namespace {

constexpr std::string_view in_out_source =
    "MACE docs/development/memory_layout.rst; buffer_to_image.cl, "
    "in_out_buffer_to_image";
constexpr std::string_view filter_source =
    "MACE docs/development/memory_layout.rst; buffer_to_image.cl, "
    "filter_buffer_to_image";
constexpr std::string_view up4 =
    "The documents write W * (C+3)/4 and the like; the factor is "
    "W * ((C+3)/4), rounded up before it is multiplied.";

const CatalogueCheck multiplier_is_one{
    .left = "m",
    .relation = CatalogueCheck::Relation::equal,
    .right = "1",
    .message =
        "the depthwise multiplier m must be 1: the vendor defines no "
        "other image"};

std::vector<CatalogueEntry> in_out_entries() {
  return {
      {.name = "mace.channel",
       .summary = "input/output image, channel-major: [W*ceil(C/4), N*H]",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "row=n h | pixel=c/4 w | lane=c%4",
       .checks = {},
       .source = in_out_source,
       .errata = {up4,
                  "The CPU tensor is NCHW but images are built from NHWC "
                  "buffers; convert logical elements, not raw buffers."}},
      {.name = "mace.height",
       .summary = "input/output image, height-major: [W*C, N*ceil(H/4)]",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "row=n h/4 | pixel=c w | lane=h%4",
       .checks = {},
       .source = in_out_source,
       .errata = {up4,
                  "The documents decode n = j%N, h = j/H*4+k; the kernel "
                  "does n = j/ceil(H/4), h = (j%ceil(H/4))*4+k."}},
      {.name = "mace.width",
       .summary = "input/output image, width-major: [ceil(W/4)*C, N*H]",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "row=n h | pixel=c w/4 | lane=w%4",
       .checks = {},
       .source = in_out_source,
       .errata = {up4,
                  "The documents decode w = i%W*4+k, c = i/W; the kernel "
                  "uses the blocked width ceil(W/4) for both."}},
      {.name = "mace.argument",
       .summary = "1-D argument image (a bias): [ceil(W/4), 1]",
       .dims = {"w"},
       .params = {},
       .expression = "row=- | pixel=w/4 | lane=w%4",
       .checks = {},
       .source = "MACE docs/development/memory_layout.rst; "
                 "buffer_to_image.cl, arg_buffer_to_image",
       .errata = {}},
  };
}

std::vector<CatalogueEntry> filter_entries() {
  return {
      {.name = "mace.filter",
       .summary = "convolution filter image: [I, ceil(O/4)*H*W]",
       .dims = {"o", "i", "h", "w"},
       .params = {},
       .expression = "row=o/4 h w | pixel=i | lane=o%4",
       .checks = {},
       .source = filter_source,
       .errata = {"'no difference compared to [H*W*I, (O+3)/4]' holds for "
                  "the linear sequence only; pixel coordinates differ (that "
                  "image is mace.weight-height)."}},
      {.name = "mace.filter-2018",
       .summary = "convolution filter image before May 2018: [roundup4(I), "
                  "ceil(O/4)*H*W]",
       .dims = {"o", "i", "h", "w"},
       .params = {},
       .expression = "row=o/4 h w | pixel=i/4 i%4 | lane=o%4",
       .checks = {},
       .source = "MACE docs/developer/opencl_memory_layout.md (April 2018)",
       .errata = {"The kernel of that time leaked neighbouring weights "
                  "into columns i >= I; here they are padding, so zero."}},
      {.name = "mace.weight-height",
       .summary = "weight image, height-major: [H*W*I, ceil(O/4)]",
       .dims = {"o", "i", "h", "w"},
       .params = {},
       .expression = "row=o/4 | pixel=h w i | lane=o%4",
       .checks = {},
       .source = "MACE opencl_util.cc, CalImage2DShape, WEIGHT_HEIGHT",
       .errata = {}},
      {.name = "mace.weight-width",
       .summary = "weight image, width-major: [ceil(I/4)*H*W, O]",
       .dims = {"o", "i", "h", "w"},
       .params = {},
       .expression = "row=o | pixel=h w i/4 | lane=i%4",
       .checks = {},
       .source = "MACE opencl_util.cc, CalImage2DShape, WEIGHT_WIDTH",
       .errata = {}},
      {.name = "mace.depthwise",
       .summary = "depthwise filter image: [H*W*M, ceil(I/4)], M = 1",
       .dims = {"m", "i", "h", "w"},
       .params = {},
       .expression = "row=i/4 | pixel=h w m | lane=i%4",
       .checks = {multiplier_is_one},
       .source = "MACE docs/development/memory_layout.rst; "
                 "buffer_to_image.cl, dw_filter_buffer_to_image",
       .errata = {"The image size is given for any multiplier, but the "
                  "transform kernel writes only zeros for M != 1.",
                  "The 0 in E[0, i, h, w] is the multiplier's index."}},
      {.name = "mace.buffer-filter",
       .summary = "convolution filter buffer of the GPU: [H, W, ceil(O/4), "
                  "roundup4(I), 4]",
       .dims = {"o", "i", "h", "w"},
       .params = {},
       .expression = "h w o/4 i/4 i%4 o%4",
       .checks = {},
       .source = "MACE buffer_transform.cl, transform_conv_filter",
       .errata = {}},
      {.name = "mace.buffer-depthwise",
       .summary = "depthwise filter buffer of the GPU: [M, ceil(I/4), H, W, "
                  "4], M = 1",
       .dims = {"m", "i", "h", "w"},
       .params = {},
       .expression = "m i/4 h w i%4",
       .checks = {multiplier_is_one},
       .source = "MACE buffer_transform.cl, transform_dw_conv_filter",
       .errata = {}},
  };
}

}  // namespace

std::vector<CatalogueEntry> mace_entries() {
  std::vector<CatalogueEntry> entries = in_out_entries();
  for (CatalogueEntry& entry : filter_entries()) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace stridewise
