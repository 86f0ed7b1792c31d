// What each file of the module binds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include "stridewise/layout.hpp"

namespace stridewise::python {

using LayoutClass = nanobind::class_<Layout>;

void bind_layout(nanobind::module_& module, LayoutClass& layout);
void bind_places(LayoutClass& layout);
void bind_shown(LayoutClass& layout);
void bind_plan(nanobind::module_& module, LayoutClass& layout);
void bind_dlpack(nanobind::module_& module);
void bind_inspect(nanobind::module_& module);

}  // namespace stridewise::python
