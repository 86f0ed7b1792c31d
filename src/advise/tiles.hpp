// Tiles and blocks of no vendor, which have no names: see tile.toml.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "stridewise/catalogue.hpp"

namespace stridewise::advising {

[[nodiscard]] const Catalogue& tiles();

}  // namespace stridewise::advising
