// oneDNN (MKL-DNN): tags are parsed by their grammar; data is needed only for
// what is no tag.
// SPDX-License-Identifier: Apache-2.0
#include "catalogue/entries.hpp"

namespace stridewise {

std::vector<CatalogueEntry> onednn_entries() {
  return {
      {.name = "onednn.TAG",
       .summary = "any tag of the grammar, canonical (aBcd16b) or friendly "
                  "(nChw16c); zero-padded blocks",
       .dims = {},
       .params = {},
       .expression = "TAG",
       .checks = {},
       .source = "oneDNN dnnl_types.h, dnnl_format_tag_t; mkl-dnn v0.16 "
                 "doc/design/understanding_memory_formats.md",
       .errata =
           {"The document's offset_nChw8c has stride_n = C*H*W; that holds "
            "only for C % 8 == 0. With a tail it is padded C * H * W.",
            "The document's C = channels/8 is a ceiling when there is a "
            "tail.",
            "Six friendly aliases of the vendor break its own grammar "
            "(OhwI24o, OhwI32o, gOhwI24o, gOhwI32o, gIOhw2i8o16i2o, "
            "gIOdhw2i8o16i2o); write what is meant: Ohwi24o, gOIhw2i8o16i2o."}},
      {.name = "onednn.strided",
       .summary = "plain 4-D memory with the caller's strides, in elements; "
                  "gaps are the caller's and never written",
       .dims = {"n", "c", "h", "w"},
       .params = stride_params(),
       .expression = "n{:nstride} c{:cstride} h{:hstride} w{:wstride}",
       .checks = {},
       .source = "mkl-dnn v0.16 understanding_memory_formats.md, Strides",
       .errata = {"The document fills mkldnn_blocked by hand; the API "
                  "rejects it. Strides need a descriptor of their own."}},
  };
}

std::vector<std::string_view> common_tags() {
  return {
      "nchw",         "nhwc",       "chwn",       "ncdhw",       "ndhwc",
      "ncw",          "nwc",        "nChw4c",     "nChw8c",      "nChw16c",
      "nChw32c",      "nCdhw8c",    "nCdhw16c",   "nCw16c",      "oihw",
      "hwio",         "ohwi",       "ihwo",       "iohw",        "goihw",
      "OIhw8i8o",     "OIhw16i16o", "OIhw16o16i", "OIhw4i16o4i", "OIhw8i16o2i",
      "Ohwi8o",       "Ohwi16o",    "Oihw16o",    "gOIhw8i8o",   "gOIhw16i16o",
      "gOIhw4i16o4i", "Goihw8g",    "Goihw16g",   "aBcd16b",     "ABcd16b16a",
      "abcd",         "acdb",       "nc",         "oi",          "tnc"};
}

}  // namespace stridewise
