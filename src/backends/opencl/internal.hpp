// What the files of the backend share: owned handles, errors, the state of a
// queue.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <type_traits>

#include "stridewise/opencl.hpp"

namespace stridewise::opencl {

// "clCreateImage: CL_INVALID_IMAGE_SIZE: the image is larger ..."
[[nodiscard]] unexpected<Error> failed(std::string_view call, cl_int status);

// A handle that is released once.
template <class Handle, cl_int (*release)(Handle)>
class Owned {
 public:
  explicit Owned(Handle handle = nullptr) : handle_(handle) {}
  [[nodiscard]] Handle get() const { return handle_.get(); }

 private:
  struct Release {
    void operator()(Handle handle) const { release(handle); }
  };
  std::unique_ptr<std::remove_pointer_t<Handle>, Release> handle_;
};

using Context = Owned<cl_context, clReleaseContext>;
using CommandQueue = Owned<cl_command_queue, clReleaseCommandQueue>;
using Program = Owned<cl_program, clReleaseProgram>;
using Kernel = Owned<cl_kernel, clReleaseKernel>;
using Memory = Owned<cl_mem, clReleaseMemObject>;

struct CompiledKernel {
  KernelSource source;
  Program program;
  Kernel kernel;
};

[[nodiscard]] Result<DeviceInfo> describe_device(cl_platform_id platform,
                                                 cl_device_id device);

// Whether a tensor of this layout can be on a device: every index has a place, and elements
// are whole bytes.
[[nodiscard]] Result<void> check_held(const Layout& layout);

namespace detail {

struct QueueData {
  DeviceInfo device;
  Context context;
  CommandQueue queue;
  QueueOptions options;
  // Counts what checked kernels found outside; only with check_bounds.
  Memory outside;

  // Guards the programs, and a kernel's arguments until it is enqueued.
  std::mutex mutex;
  std::map<std::string, CompiledKernel, std::less<>>
      programs;  // by what they do
};

// The kernel of a reorder, written and compiled if it is new. Pre: `mutex` is
// held, as long as the kernel is used.
[[nodiscard]] Result<const CompiledKernel*> kernel_of(
    QueueData& data, const Side& src, const Side& dst,
    const KernelOptions& options);

}  // namespace detail
}  // namespace stridewise::opencl
