// The version of the library, written once: CMake and the CLI read it here.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#define STRIDEWISE_VERSION "0.2.0"
