// What a catalogue's file says for advise(): the chip, and the values that are tried.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "catalogue/toml_reader.hpp"
#include "stridewise/catalogue.hpp"

namespace stridewise {

// Faults are the reader's.
[[nodiscard]] CatalogueChip read_chip(TomlReader& reader,
                                      const toml::node& node);
// `node` is the key "tries" of a parameter.
[[nodiscard]] CatalogueTries read_tries(TomlReader& reader,
                                        const toml::table& param,
                                        const toml::node& node);

}  // namespace stridewise
