// SPDX-License-Identifier: Apache-2.0
#include "catalogue/tags.hpp"

namespace stridewise {

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
