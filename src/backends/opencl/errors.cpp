// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "backends/opencl/internal.hpp"

namespace stridewise::opencl {
namespace {

struct Known {
  cl_int status;
  std::string_view name;
  std::string_view meaning;
};

// -1001 is the loader's; cl_ext.h has its name.
constexpr Known known[] = {
    {CL_DEVICE_NOT_FOUND, "CL_DEVICE_NOT_FOUND", "the platform has no device"},
    {CL_DEVICE_NOT_AVAILABLE, "CL_DEVICE_NOT_AVAILABLE",
     "the device is not available now"},
    {CL_COMPILER_NOT_AVAILABLE, "CL_COMPILER_NOT_AVAILABLE",
     "the driver has no compiler"},
    {CL_MEM_OBJECT_ALLOCATION_FAILURE, "CL_MEM_OBJECT_ALLOCATION_FAILURE",
     "the device has no memory left for it"},
    {CL_OUT_OF_RESOURCES, "CL_OUT_OF_RESOURCES",
     "the device ran out of resources, or a kernel crashed"},
    {CL_OUT_OF_HOST_MEMORY, "CL_OUT_OF_HOST_MEMORY",
     "the driver ran out of host memory"},
    {CL_MEM_COPY_OVERLAP, "CL_MEM_COPY_OVERLAP",
     "source and destination overlap"},
    {CL_IMAGE_FORMAT_MISMATCH, "CL_IMAGE_FORMAT_MISMATCH",
     "the images' formats differ"},
    {CL_IMAGE_FORMAT_NOT_SUPPORTED, "CL_IMAGE_FORMAT_NOT_SUPPORTED",
     "the device has no images of that format"},
    {CL_BUILD_PROGRAM_FAILURE, "CL_BUILD_PROGRAM_FAILURE",
     "the driver's compiler refused the program"},
    {CL_MAP_FAILURE, "CL_MAP_FAILURE", "the memory cannot be mapped"},
    {CL_INVALID_VALUE, "CL_INVALID_VALUE",
     "an argument is outside what the call allows"},
    {CL_INVALID_PLATFORM, "CL_INVALID_PLATFORM", "no such platform"},
    {CL_INVALID_DEVICE, "CL_INVALID_DEVICE", "no such device"},
    {CL_INVALID_CONTEXT, "CL_INVALID_CONTEXT",
     "the objects are not of one context"},
    {CL_INVALID_COMMAND_QUEUE, "CL_INVALID_COMMAND_QUEUE",
     "no such command queue"},
    {CL_INVALID_MEM_OBJECT, "CL_INVALID_MEM_OBJECT", "no such buffer or image"},
    {CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR",
     "no such image format"},
    {CL_INVALID_IMAGE_DESCRIPTOR, "CL_INVALID_IMAGE_DESCRIPTOR",
     "the image's sizes or pitches contradict each other"},
    {CL_INVALID_IMAGE_SIZE, "CL_INVALID_IMAGE_SIZE",
     "the image is larger than the device allows"},
    {CL_INVALID_BINARY, "CL_INVALID_BINARY", "a program of another device"},
    {CL_INVALID_BUILD_OPTIONS, "CL_INVALID_BUILD_OPTIONS",
     "the driver's compiler does not know an option"},
    {CL_INVALID_PROGRAM, "CL_INVALID_PROGRAM", "no such program"},
    {CL_INVALID_PROGRAM_EXECUTABLE, "CL_INVALID_PROGRAM_EXECUTABLE",
     "the program is not built for this device"},
    {CL_INVALID_KERNEL_NAME, "CL_INVALID_KERNEL_NAME",
     "the program has no such kernel"},
    {CL_INVALID_KERNEL, "CL_INVALID_KERNEL", "no such kernel"},
    {CL_INVALID_ARG_INDEX, "CL_INVALID_ARG_INDEX",
     "the kernel has fewer arguments"},
    {CL_INVALID_ARG_VALUE, "CL_INVALID_ARG_VALUE",
     "the argument is no memory of the kind that the kernel wants"},
    {CL_INVALID_ARG_SIZE, "CL_INVALID_ARG_SIZE",
     "the argument is of another size than the kernel's"},
    {CL_INVALID_KERNEL_ARGS, "CL_INVALID_KERNEL_ARGS",
     "an argument of the kernel was not set"},
    {CL_INVALID_WORK_DIMENSION, "CL_INVALID_WORK_DIMENSION",
     "more dimensions than the device works in"},
    {CL_INVALID_WORK_GROUP_SIZE, "CL_INVALID_WORK_GROUP_SIZE",
     "the work-group does not fit the device or the kernel"},
    {CL_INVALID_WORK_ITEM_SIZE, "CL_INVALID_WORK_ITEM_SIZE",
     "the work-group is larger than the device allows"},
    {CL_INVALID_GLOBAL_OFFSET, "CL_INVALID_GLOBAL_OFFSET",
     "the work begins beyond what the device counts to"},
    {CL_INVALID_EVENT, "CL_INVALID_EVENT", "no such event"},
    {CL_INVALID_OPERATION, "CL_INVALID_OPERATION",
     "the device does not do that"},
    {CL_INVALID_BUFFER_SIZE, "CL_INVALID_BUFFER_SIZE",
     "the buffer is empty, or larger than the device allows"},
    {CL_INVALID_GLOBAL_WORK_SIZE, "CL_INVALID_GLOBAL_WORK_SIZE",
     "more work-items than the device counts"},
    {CL_INVALID_PROPERTY, "CL_INVALID_PROPERTY", "no such property"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR",
     "no driver is installed: the loader finds no platform"},
};

const Known* find(cl_int status) {
  const auto found = std::ranges::find(known, status, &Known::status);
  return found == std::end(known) ? nullptr : &*found;
}

}  // namespace

std::string error_name(cl_int status) {
  const Known* const found = find(status);
  return found != nullptr ? std::string(found->name)
                          : fmt::format("error {}", status);
}

std::string_view error_meaning(cl_int status) {
  const Known* const found = find(status);
  return found != nullptr ? found->meaning : std::string_view();
}

unexpected<Error> failed(std::string_view call, cl_int status) {
  const std::string_view meaning = error_meaning(status);
  return fail(ErrorCode::io, fmt::format("{}: {}{}{}", call, error_name(status),
                                         meaning.empty() ? "" : ": ", meaning));
}

}  // namespace stridewise::opencl
