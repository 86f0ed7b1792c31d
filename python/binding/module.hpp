// What each file of the module binds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>

#include "stridewise/layout.hpp"

namespace stridewise::python {

// Bytes of an array, which are read or written in place.
using Memory = nanobind::ndarray<const std::uint8_t, nanobind::ndim<1>,
                                 nanobind::c_contig, nanobind::device::cpu>;
using WritableMemory =
    nanobind::ndarray<std::uint8_t, nanobind::ndim<1>, nanobind::c_contig,
                      nanobind::device::cpu>;

// What deletes the object with the last array that is in it.
template <class T>
nanobind::capsule capsule_of(std::unique_ptr<T> held) {
  const nanobind::capsule owner(held.get(), [](void* p) noexcept {
    std::default_delete<T>()(static_cast<std::remove_extent_t<T>*>(p));
  });
  held.release();
  return owner;
}

using LayoutClass = nanobind::class_<Layout>;

void bind_layout(nanobind::module_& module, LayoutClass& layout);
void bind_places(LayoutClass& layout);
void bind_shown(LayoutClass& layout);
void bind_plan(nanobind::module_& module, LayoutClass& layout);
void bind_dlpack(nanobind::module_& module);
void bind_inspect(nanobind::module_& module);
void bind_advise(nanobind::module_& module);
void bind_files(nanobind::module_& module);

}  // namespace stridewise::python
