// What signals do to commands: an error, or an end that leaves no hidden files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stridewise::cli {

// For the whole process. A file that another process cuts short, or that cannot grow, ends
// a command as an error, on stdout too with `json`; who stops it leaves no hidden file.
void handle_signals(bool json);

}  // namespace stridewise::cli
