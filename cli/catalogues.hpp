// The layouts that have names: the library's, and those of the user's own files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stridewise/stridewise.hpp"

namespace stridewise::cli {

// The files of --catalogue.
[[nodiscard]] std::vector<std::string>& catalogue_files();

// All layouts: the library's, those of catalogue_files(), those of the files in
// STRIDEWISE_CATALOGUE (apart by ':'). The first call reads the files. Ends the command
// where one is no catalogue.
[[nodiscard]] const Catalogue& known_layouts();

// The text of a file of up to 16 MiB. Ends the command where it cannot be read.
[[nodiscard]] std::string text_of_file(const std::string& path);

}  // namespace stridewise::cli
