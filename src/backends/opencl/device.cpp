// What devices there are, and what they can.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "backends/opencl/internal.hpp"

namespace stridewise::opencl {
namespace {

constexpr cl_int no_platform = -1001;

// A text of a device or a platform, by its query function, which errors call
// `call`.
template <class Query, class Object>
Result<std::string> text_of(std::string_view call, Query query, Object object,
                            cl_uint parameter) {
  std::size_t size = 0;
  if (const cl_int status = query(object, parameter, 0, nullptr, &size)) {
    return failed(call, status);
  }
  std::string text(size, '\0');
  if (const cl_int status =
          query(object, parameter, size, text.data(), nullptr)) {
    return failed(call, status);
  }
  while (!text.empty() && (text.back() == '\0' || text.back() == ' ')) {
    text.pop_back();
  }
  return text;
}

template <class T>
std::int64_t number_of(cl_device_id device, cl_device_info parameter) {
  T value{};
  if (clGetDeviceInfo(device, parameter, sizeof value, &value, nullptr) != 0) {
    return 0;
  }
  return static_cast<std::int64_t>(value);
}

std::string kind_of(cl_device_id device) {
  const auto type = static_cast<cl_device_type>(
      number_of<cl_device_type>(device, CL_DEVICE_TYPE));
  if ((type & CL_DEVICE_TYPE_GPU) != 0) return "gpu";
  if ((type & CL_DEVICE_TYPE_CPU) != 0) return "cpu";
  if ((type & CL_DEVICE_TYPE_ACCELERATOR) != 0) return "accelerator";
  return "other";
}

std::string channel_name(cl_channel_type type) {
  switch (type) {
    case CL_SNORM_INT8:
      return "CL_SNORM_INT8";
    case CL_SNORM_INT16:
      return "CL_SNORM_INT16";
    case CL_UNORM_INT8:
      return "CL_UNORM_INT8";
    case CL_UNORM_INT16:
      return "CL_UNORM_INT16";
    case CL_SIGNED_INT8:
      return "CL_SIGNED_INT8";
    case CL_SIGNED_INT16:
      return "CL_SIGNED_INT16";
    case CL_SIGNED_INT32:
      return "CL_SIGNED_INT32";
    case CL_UNSIGNED_INT8:
      return "CL_UNSIGNED_INT8";
    case CL_UNSIGNED_INT16:
      return "CL_UNSIGNED_INT16";
    case CL_UNSIGNED_INT32:
      return "CL_UNSIGNED_INT32";
    case CL_HALF_FLOAT:
      return "CL_HALF_FLOAT";
    case CL_FLOAT:
      return "CL_FLOAT";
    default:
      return fmt::format("{:#x}", type);
  }
}

// Asking needs a context.
Result<std::vector<std::string>> formats_of(cl_device_id device) {
  cl_int status = CL_SUCCESS;
  const Context context(
      clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) return failed("clCreateContext", status);
  cl_uint count = 0;
  const auto query = [&](cl_uint room, cl_image_format* into, cl_uint* has) {
    return clGetSupportedImageFormats(context.get(), CL_MEM_READ_WRITE,
                                      CL_MEM_OBJECT_IMAGE2D, room, into, has);
  };
  status = query(0, nullptr, &count);
  if (status != CL_SUCCESS) return failed("clGetSupportedImageFormats", status);
  std::vector<cl_image_format> formats(count);
  if (count > 0) status = query(count, formats.data(), nullptr);
  if (status != CL_SUCCESS) return failed("clGetSupportedImageFormats", status);
  std::vector<std::string> names;
  for (const cl_image_format& format : formats) {
    if (format.image_channel_order != CL_RGBA) continue;
    std::string name = channel_name(format.image_channel_data_type);
    // Some drivers list a format more than once.
    if (!std::ranges::count(names, name)) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

Result<DeviceInfo> describe_device(cl_platform_id platform,
                                   cl_device_id device) {
  DeviceInfo info{.platform_id = platform, .id = device};
  const std::pair<std::string*, cl_device_info> texts[] = {
      {&info.name, CL_DEVICE_NAME},
      {&info.vendor, CL_DEVICE_VENDOR},
      {&info.version, CL_DEVICE_VERSION},
      {&info.driver, CL_DRIVER_VERSION}};
  for (const auto& [into, parameter] : texts) {
    Result<std::string> text =
        text_of("clGetDeviceInfo", clGetDeviceInfo, device, parameter);
    if (!text) return unexpected(text.error());
    *into = *std::move(text);
  }
  Result<std::string> name = text_of("clGetPlatformInfo", clGetPlatformInfo,
                                     platform, CL_PLATFORM_NAME);
  if (!name) return unexpected(name.error());
  info.platform = *std::move(name);
  info.kind = kind_of(device);
  info.images = number_of<cl_bool>(device, CL_DEVICE_IMAGE_SUPPORT) != 0;
  info.allocation_max_bytes =
      number_of<cl_ulong>(device, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
  info.memory_bytes = number_of<cl_ulong>(device, CL_DEVICE_GLOBAL_MEM_SIZE);
  if (!info.images) return info;
  info.image_width_max =
      number_of<std::size_t>(device, CL_DEVICE_IMAGE2D_MAX_WIDTH);
  info.image_height_max =
      number_of<std::size_t>(device, CL_DEVICE_IMAGE2D_MAX_HEIGHT);
  Result<std::vector<std::string>> formats = formats_of(device);
  if (!formats) return unexpected(formats.error());
  info.formats = *std::move(formats);
  return info;
}

Result<std::vector<DeviceInfo>> devices() {
  cl_uint count = 0;
  cl_int status = clGetPlatformIDs(0, nullptr, &count);
  if (status == no_platform || (status == CL_SUCCESS && count == 0)) {
    return std::vector<DeviceInfo>();
  }
  if (status != CL_SUCCESS) return failed("clGetPlatformIDs", status);
  std::vector<cl_platform_id> platforms(count);
  status = clGetPlatformIDs(count, platforms.data(), nullptr);
  if (status != CL_SUCCESS) return failed("clGetPlatformIDs", status);
  std::vector<DeviceInfo> all;
  for (cl_platform_id platform : platforms) {
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count);
    if (status == CL_DEVICE_NOT_FOUND) continue;
    if (status != CL_SUCCESS) return failed("clGetDeviceIDs", status);
    std::vector<cl_device_id> ids(count);
    status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, ids.data(),
                            nullptr);
    if (status != CL_SUCCESS) return failed("clGetDeviceIDs", status);
    for (cl_device_id id : ids) {
      Result<DeviceInfo> info = describe_device(platform, id);
      if (!info) return unexpected(info.error());
      info->number = static_cast<std::int32_t>(all.size());
      all.push_back(*std::move(info));
    }
  }
  return all;
}

}  // namespace stridewise::opencl
