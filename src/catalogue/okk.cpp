// Sophon OKK (BM1684): local memory is X NPUs of S bytes; address A = Q*S + R
// starts at NPU Q, offset R. Channels go round the NPUs; all use the same R.
// SPDX-License-Identifier: Apache-2.0
#include "catalogue/entries.hpp"

namespace stridewise {
namespace {

using enum CatalogueCheck::Relation;

constexpr std::string_view doc =
    "Sophon OKKernel documentation (BM1684 TPU), Layouts";
constexpr std::string_view modes =
    "Sophon OKKernel documentation (BM1684 TPU), Storage Modes";
constexpr std::string_view holes =
    "Alignment gaps, holes before the start NPU and dummies are unspecified by "
    "the vendor: zero in a fresh buffer here, never read back.";

CatalogueParam base_param(std::string_view default_value) {
  return {.name = "base",
          .default_value = default_value,
          .doc = "layout of the packed elements",
          .choices = {{"aligned", ":^128B"}, {"compact", ""}}};
}

// npus, npu_bytes, and start or addr; then `more`.
std::vector<CatalogueParam> local_params(
    const std::vector<CatalogueParam>& more = {}) {
  std::vector<CatalogueParam> params = {
      {.name = "npus", .default_value = "64", .doc = "NPUs (X)", .min = 1},
      {.name = "npu_bytes",
       .default_value = "524288",
       .doc = "bytes of local memory of one NPU (S)",
       .min = 1},
      {.name = "start", .default_value = "0", .doc = "NPU of channel 0 (Q)"},
      {.name = "addr",
       .default_value = "start*npu_bytes",
       .doc = "address A = Q*S + R, instead of start",
       .excludes = "start"}};
  params.insert(params.end(), more.begin(), more.end());
  return params;
}

const CatalogueCheck start_npu{.left = "start",
                               .relation = less,
                               .right = "npus",
                               .message = "start must be an NPU, 0 .. npus-1"};
const CatalogueCheck in_memory{
    .left = "addr",
    .relation = less,
    .right = "npus*npu_bytes",
    .message = "the address must lie in local memory, 0 .. npus*npu_bytes-1"};
const CatalogueCheck aligned_128{
    .left = "addr%128",
    .relation = equal,
    .right = "0",
    .message = "the address of an aligned layout must be divisible by 128"};
const CatalogueCheck aligned_4{
    .left = "addr%4",
    .relation = equal,
    .right = "0",
    .message = "the address of a compact layout must be divisible by 4"};

CatalogueCheck when(CatalogueCheck check, std::string_view condition) {
  check.when = condition;
  return check;
}

CatalogueCheck element_of(std::string_view bytes, std::string_view message) {
  return {.left = "element_bytes",
          .relation = equal,
          .right = bytes,
          .message = message};
}

// Checks of the packed modes, whose base is aligned or compact.
std::vector<CatalogueCheck> packed_checks(const CatalogueCheck& element) {
  return {element, start_npu, in_memory, when(aligned_128, "base=aligned"),
          when(aligned_4, "base=compact")};
}

std::vector<CatalogueEntry> tensor_entries() {
  return {
      {.name = "okk.continuous",
       .summary = "system memory, no gaps",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "n c h w",
       .checks = {},
       .source = doc,
       .errata = {}},
      {.name = "okk.strided-system",
       .summary = "system memory with free strides, in elements; C steps one "
                  "channel",
       .dims = {"n", "c", "h", "w"},
       .params = stride_params(),
       .expression = "n{:nstride} c{:cstride} h{:hstride} w{:wstride}",
       .checks = {},
       .source = "Sophon OKKernel documentation (BM1684 TPU), Strides in "
                 "System Memory",
       .errata = {}},
      {.name = "okk.aligned",
       .summary = "local memory, each channel on 128 bytes",
       .dims = {"n", "c", "h", "w"},
       .params = local_params(),
       .expression =
           "npu=(c+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B n (c+{addr/npu_bytes})/{npus}:^128B h w",
       .checks = {start_npu, in_memory, aligned_128},
       .source = doc,
       .errata = {holes,
                  "Comments that say '64-byte aligned' are of an older "
                  "chip."}},
      {.name = "okk.compact",
       .summary = "local memory, channels without gaps",
       .dims = {"n", "c", "h", "w"},
       .params = local_params(),
       .expression =
           "npu=(c+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B n (c+{addr/npu_bytes})/{npus} h w",
       .checks = {start_npu, in_memory, aligned_4},
       .source = doc,
       .errata = {holes}},
      {.name = "okk.strided",
       .summary = "local memory with free strides, in elements; C steps "
                  "`npus` channels",
       .dims = {"n", "c", "h", "w"},
       .params = local_params(stride_params("elements from c to c+npus")),
       .expression =
           "npu=(c+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B n{:nstride} "
           "(c+{addr/npu_bytes})/{npus}{:cstride} h{:hstride} w{:wstride}",
       .checks = {start_npu, in_memory},
       .source = "Sophon OKKernel documentation (BM1684 TPU), Strides in Local "
                 "Memory",
       .errata = {holes,
                  "A stride makes no sense where its dim has one step; any "
                  "number that fits may stand there.",
                  "The C stride steps X channels in local memory, one in "
                  "system memory (okk.strided-system)."}},
      {.name = "okk.matrix",
       .summary = "a matrix of r rows and m columns, w columns a channel, in "
                  "the aligned layout",
       .dims = {"r", "m"},
       .params = local_params({{.name = "w",
                                .default_value = "",
                                .doc = "columns a channel (W), 1 .. m",
                                .min = 1}}),
       .expression =
           "npu=(m+{addr/npu_bytes*w})%{npus*w}/{w} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B r "
           "(m+{addr/npu_bytes*w})/{npus*w}:^128B (m+{addr/npu_bytes*w})%{w}",
       .checks = {{.left = "w",
                   .relation = at_most,
                   .right = "m",
                   .message = "w must be in 1 .. m"},
                  in_memory,
                  aligned_128},
       .source = "Sophon OKKernel documentation (BM1684 TPU), Matrix Layout",
       .errata = {holes,
                  "The last channel holds M - W*(ceil(M/W)-1) columns; "
                  "the document's M - W*floor(M/W) is 0 where W divides M."}},
  };
}

std::vector<CatalogueEntry> mode_entries() {
  return {
      {.name = "okk.4n",
       .summary = "4N-mode: four batches of int8 in one word, local memory",
       .dims = {"n", "c", "h", "w"},
       .params = local_params({base_param("aligned")}),
       .expression =
           "npu=(c+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B n/4 (c+{addr/npu_bytes})/{npus}{base} "
           "h w n%4",
       .checks = packed_checks(
           element_of("1", "4N-mode holds elements of 1 byte (int8, uint8)")),
       .source = modes,
       .errata = {holes,
                  "Dummies a position are (4 - N%4) % 4: none where 4 "
                  "divides N."}},
      {.name = "okk.2n",
       .summary = "2N-mode: two batches of int16 in one word, local memory",
       .dims = {"n", "c", "h", "w"},
       .params = local_params({base_param("aligned")}),
       .expression =
           "npu=(c+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B n/2 (c+{addr/npu_bytes})/{npus}{base} "
           "h w n%2",
       .checks = packed_checks(element_of(
           "2", "2N-mode holds elements of 2 bytes (int16, uint16)")),
       .source = modes,
       .errata = {holes,
                  "The document's example 'int8 element at (2,0,0,0)' is "
                  "an int16."}},
      {.name = "okk.2ic",
       .summary = "2IC-mode: two input channels of fp32 weights side by side, "
                  "local memory",
       .dims = {"i", "o", "h", "w"},
       .params = local_params({base_param("compact")}),
       .expression =
           "npu=(o+{addr/npu_bytes})%{npus} |{npu_bytes}B| "
           "offset=@{addr%npu_bytes}B i/2 (o+{addr/npu_bytes})/{npus}{base} "
           "h w i%2",
       .checks = packed_checks(
           element_of("4", "2IC-mode holds elements of 4 bytes (fp32)")),
       .source = modes,
       .errata = {holes,
                  "The document names no base layout; public kernels use "
                  "compact. base=aligned is an extension."}},
      {.name = "okk.4n-system",
       .summary = "4N-mode in system memory, no gaps",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "n/4 c h w n%4",
       .checks = {element_of("1",
                             "4N-mode holds elements of 1 byte (int8, uint8)")},
       .source = modes,
       .errata = {}},
      {.name = "okk.2n-system",
       .summary = "2N-mode in system memory, no gaps",
       .dims = {"n", "c", "h", "w"},
       .params = {},
       .expression = "n/2 c h w n%2",
       .checks = {element_of(
           "2", "2N-mode holds elements of 2 bytes (int16, uint16)")},
       .source = modes,
       .errata = {}},
      {.name = "okk.2ic-system",
       .summary = "2IC-mode weights in system memory, no gaps",
       .dims = {"i", "o", "h", "w"},
       .params = {},
       .expression = "i/2 o h w i%2",
       .checks = {element_of("4", "2IC-mode holds elements of 4 bytes (fp32)")},
       .source = "Sophon OKKernel conv2d demo: continuous (J,O,kh,2*kw)",
       .errata = {}},
  };
}

}  // namespace

std::vector<CatalogueEntry> okk_entries() {
  std::vector<CatalogueEntry> entries = tensor_entries();
  for (CatalogueEntry& entry : mode_entries()) {
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace stridewise
