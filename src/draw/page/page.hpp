// The page that shows a picture: files of this folder, as the build put them
// into the library.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stridewise::draw {

extern const char* const page_document;  // with {{title}}, {{svg}} and more
extern const char* const page_style;
extern const char* const page_script;

}  // namespace stridewise::draw
