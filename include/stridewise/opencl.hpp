// Tensors in OpenCL images and buffers, and moving them there: a library of its
// own, stridewise::opencl.
//
//   Queue       a device that is ready for work: context, command queue, and
//               the programs that were compiled for it
//   Tensor      device memory that holds a tensor in a layout: an image of RGBA
//               pixels, or a buffer
//
// Images. A layout with three axes of which the last has four places, without
// anything between its pixels, is an image: its axes are row (y), pixel (x) and
// lane (r, g, b, a). Its rows may have a pitch; that is the host's, a device has
// its own. Element types and channel types are the same:
//   f32 CL_FLOAT   f16 CL_HALF_FLOAT   u8 u16 u32 s8 s16 s32 CL_(UN)SIGNED_INTn
//   bool CL_UNSIGNED_INT8   bf16 CL_UNSIGNED_INT16, its bits
//
// Errors name the OpenCL error and what it means; their code is io where the
// device or its driver refused, unsupported where the device's limits or types
// do not suffice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stridewise/element.hpp"
#include "stridewise/layout.hpp"
#include "stridewise/reorder.hpp"
#include "stridewise/result.hpp"

namespace stridewise::opencl {

// --------------------------------------------------------------- devices ---

struct DeviceInfo {
  cl_platform_id platform_id = nullptr;
  cl_device_id id = nullptr;
  std::int32_t number = 0;  // what Queue::open takes
  std::string platform = {};
  std::string name = {};
  std::string vendor = {};
  std::string version = {};  // "OpenCL 3.0 PoCL ..."
  std::string driver = {};
  std::string kind = {};  // "cpu", "gpu", "accelerator", "other"
  bool images = false;
  std::int64_t image_width_max = 0;       // pixels
  std::int64_t image_height_max = 0;      // pixels
  std::int64_t allocation_max_bytes = 0;  // of one buffer or image
  std::int64_t memory_bytes = 0;
  // Channel types of RGBA images that kernels may read, and write:
  // "CL_HALF_FLOAT".
  std::vector<std::string> formats = {};
};

// All devices of all platforms, numbered in the driver loader's order. No
// platform at all is an empty list.
[[nodiscard]] Result<std::vector<DeviceInfo>> devices();

// "CL_INVALID_IMAGE_SIZE", or "error -40" for a number that has no name.
[[nodiscard]] std::string error_name(cl_int status);
// What that means, in a few words; empty for a number without a name.
[[nodiscard]] std::string_view error_meaning(cl_int status);

// ---------------------------------------------------------------- images ---

struct ImageSize {
  std::int64_t width;   // pixels
  std::int64_t height;  // rows
};

// The size of the image that a layout is. Error unsupported: it is none; why.
[[nodiscard]] Result<ImageSize> image_size(const Layout& layout);

// CL_RGBA and the channel type of an element type. Error unsupported: images
// have no such channels.
[[nodiscard]] Result<cl_image_format> image_format(const ElementType& type);

enum class Storage : std::uint8_t { buffer, image };

// Whether a device can hold a tensor. The error says what is needed, what the
// limit is, and what would fit: other image layouts of the catalogue for this
// shape, parts of the batch (the first dim), a buffer.
[[nodiscard]] Result<void> check_limits(const DeviceInfo& device,
                                        const Layout& layout,
                                        const ElementType& type,
                                        Storage storage);

// ---------------------------------------------------------------- tensor ---

class Queue;

// Device memory in a layout. Released with the last copy; copies share it.
class Tensor {
 public:
  // Zeros everywhere. Errors: a layout of which an index has no place, whose elements are
  // not those of `type` or not 1, 2, 4, 8 or 16 bytes, or that is no image; limits of the
  // device; no memory. One that is not one-to-one can be the source of a reorder.
  // A tensor without elements is an error too: OpenCL has no empty memory.
  [[nodiscard]] static Result<Tensor> image(const Queue& queue,
                                            const Layout& layout,
                                            const ElementType& type);
  [[nodiscard]] static Result<Tensor> buffer(const Queue& queue,
                                             const Layout& layout,
                                             const ElementType& type);
  // An image where the layout is one that this type has, else a buffer.
  [[nodiscard]] static Result<Tensor> create(const Queue& queue,
                                             const Layout& layout,
                                             const ElementType& type);
  // Memory that exists already; it is retained. Errors: it is neither a buffer
  // nor an image of the format, or is smaller than the layout.
  [[nodiscard]] static Result<Tensor> wrap(cl_mem memory, const Layout& layout,
                                           const ElementType& type);

  [[nodiscard]] cl_mem get() const { return memory_.get(); }
  [[nodiscard]] Storage storage() const { return storage_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const ElementType& type() const { return type_; }
  // Of an image; {0, 0} of a buffer.
  [[nodiscard]] ImageSize size() const { return size_; }

 private:
  friend class Queue;
  Tensor(cl_mem memory, const Layout& layout, const ElementType& type,
         Storage storage);
  // A buffer that holds anything.
  [[nodiscard]] static Result<Tensor> uninitialised(const Queue& queue,
                                                    const Layout& layout,
                                                    const ElementType& type);
  std::shared_ptr<_cl_mem> memory_;
  Layout layout_;
  ElementType type_;
  Storage storage_;
  ImageSize size_{0, 0};
};

// Which part of the first dim (the batch) to move: `count` indices from
// src_first on become those from dst_first on. The shapes of both sides may
// differ in that dim. All other elements of dst stay.
struct Batch {
  std::int64_t src_first = 0;
  std::int64_t dst_first = 0;
  std::int64_t count = 0;
};

struct ReorderOptions {
  // What becomes of places of a buffer that hold no element; those of an image
  // become zero with the pixel they are part of. With a batch, `keep`.
  Fill fill = Fill::zero;
  std::optional<Batch> batch = {};
};

// Rows of an image as the host has them.
struct Rows {
  std::int64_t pitch_bytes = 0;  // from one to the next; 0: the layout's own
  std::int64_t first = 0;
  std::int64_t count = -1;  // -1: all from `first` on
};

// ----------------------------------------------------------------- queue ---

// True in debug builds of the library.
[[nodiscard]] bool checks_bounds_by_default();

struct QueueOptions {
  // Kernels check each place that they read or write against the memory's own
  // bounds, leave out what lies outside, and count it; each reorder() then waits
  // and is an error where there was one. For tests and debugging.
  bool check_bounds = checks_bounds_by_default();
};

namespace detail {
struct QueueData;
}

// A device with a context and an in-order command queue. Copies share it; it may
// be used from several threads.
class Queue {
 public:
  // Errors: there is no such device; the driver's.
  [[nodiscard]] static Result<Queue> open(std::int32_t number = 0,
                                          const QueueOptions& options = {});
  // A command queue of the caller's, which is retained. Errors: it is not in-order; the
  // driver's.
  [[nodiscard]] static Result<Queue> wrap(cl_command_queue queue,
                                          const QueueOptions& options = {});

  [[nodiscard]] const DeviceInfo& device() const;
  [[nodiscard]] cl_context context() const;
  [[nodiscard]] cl_command_queue get() const;
  // Programs that were compiled: one for each pair of layouts, types and kinds
  // of memory, kept for the next reorder of that pair.
  [[nodiscard]] std::int64_t programs() const;

  // Writes every element of src where dst's layout wants it: between buffers and
  // images, in any combination. f32 and f16 become each other; other types must
  // be equal. Returns when the work is enqueued.
  // Between buffers of one type the bits stay. An image's f16 passes through
  // floats: a signalling NaN may become a quiet one.
  // Errors: shapes that differ, a batch outside of them, types that do not
  // become each other, src and dst the same memory; the driver's.
  [[nodiscard]] Result<void> reorder(const Tensor& src, const Tensor& dst,
                                     const ReorderOptions& options = {}) const;

  // A tensor of the host in any layout, through a buffer of the device. Returns
  // when `bytes` are read, or written. Errors also: fewer bytes than the layout
  // takes. download() writes elements alone: other bytes stay.
  [[nodiscard]] Result<void> upload(const Layout& layout,
                                    const ElementType& type,
                                    std::span<const std::byte> bytes,
                                    const Tensor& dst,
                                    std::optional<Batch> batch = {}) const;
  [[nodiscard]] Result<void> download(const Tensor& src, const Layout& layout,
                                      const ElementType& type,
                                      std::span<std::byte> bytes,
                                      std::optional<Batch> batch = {}) const;

  // The memory as it is, without a reorder: a buffer's bytes, or an image's rows
  // at the host's pitch. `bytes` begins with the first row.
  [[nodiscard]] Result<void> write(std::span<const std::byte> bytes,
                                   const Tensor& dst,
                                   const Rows& rows = {}) const;
  [[nodiscard]] Result<void> read(const Tensor& src, std::span<std::byte> bytes,
                                  const Rows& rows = {}) const;

  // Waits until all is done.
  [[nodiscard]] Result<void> finish() const;

 private:
  friend class Tensor;
  explicit Queue(std::shared_ptr<detail::QueueData> data);
  std::shared_ptr<detail::QueueData> data_;
};

// ---------------------------------------------------------------- kernel ---

// The OpenCL C of a reorder, for those who want it in a program of their own:
// one kernel `reorder`. Its arguments are src, dst and, where `batched`, three
// integers of `bits` bits: src_first, dst_first, count. It is enqueued over
// `global`: pixels and rows of the image that it walks, places of dst, or elements.
struct KernelSource {
  std::string code;
  std::int32_t bits = 32;
  bool walks_src =
      false;  // pixels of src; else pixels or places of dst, or elements
  // Writes elements alone: what else of dst is to be zero must be so before.
  bool leaves_gaps = false;
  std::vector<std::size_t> global;
};

struct Side {
  Layout layout;
  ElementType type;
  Storage storage;
};

struct KernelOptions {
  Fill fill = Fill::zero;
  bool batched = false;
  // One more argument, `global int *outside`, counts accesses that would have
  // been out of bounds.
  bool check_bounds = false;
};

// Errors: a dst that is not one-to-one, or has copies where its places do not tell their
// element; elements that are no whole bytes or whose bits lie apart; images of layouts that
// are more than plain digits.
[[nodiscard]] Result<KernelSource> kernel_source(
    const Side& src, const Side& dst, const KernelOptions& options = {});

}  // namespace stridewise::opencl
