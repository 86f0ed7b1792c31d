// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <utility>

#include "backends/opencl/internal.hpp"
#include "stridewise/notation.hpp"

namespace stridewise::opencl {
namespace {

// Each set of tables has a program of its own: of pages, one a step.
constexpr std::size_t most_programs = 256;

// The compiler's first complaint, on one line.
std::string build_log(cl_program program, cl_device_id device) {
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, 0, nullptr,
                        &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, size, log.data(),
                        nullptr);
  const std::size_t error = log.find("error");
  if (error != std::string::npos) log.erase(0, error);
  log.resize(std::min({log.find('\n'), log.find('\0'), log.size()}));
  return log;
}

// What the global work of a batch is: where the batch is the slowest digit, only
// its part of the rows or places, else all of them.
void limit_to_batch(const Side& walked, std::int64_t first, std::int64_t count,
                    std::vector<std::size_t>& offset,
                    std::vector<std::size_t>& global) {
  const Layout& layout = walked.layout;
  const bool image = walked.storage == Storage::image;
  const BoundTerm* batch = nullptr;
  for (const BoundTerm& term : layout.terms()) {
    if (term.dim != 0) continue;
    if (batch != nullptr) return;  // split into several digits
    batch = &term;
  }
  if (batch == nullptr || batch->bias != 0 || batch->div != 1 ||
      batch->mod != 0 || (image && batch->axis != 0)) {
    return;
  }
  // All other digits add up to less than one step of it.
  std::int64_t rest = layout.base_offset();
  for (const BoundTerm& term : layout.terms()) {
    if (&term != batch) rest += (term.extent - 1) * term.flat_stride;
  }
  if (layout.base_offset() != 0 || rest >= batch->flat_stride) return;
  const std::size_t k = image ? 1 : 0;
  const auto stride = static_cast<std::size_t>(batch->stride);
  if (!image && batch->flat_stride != batch->stride) return;
  offset[k] = static_cast<std::size_t>(first) * stride;
  global[k] =
      std::min(static_cast<std::size_t>(count) * stride, global[k] - offset[k]);
}

Result<void> check_batch(const Batch& batch, std::int64_t src_extent,
                         std::int64_t dst_extent) {
  const auto within = [&](std::int64_t first, std::int64_t extent) {
    return first >= 0 && batch.count >= 0 && batch.count <= extent &&
           first <= extent - batch.count;
  };
  if (within(batch.src_first, src_extent) &&
      within(batch.dst_first, dst_extent)) {
    return {};
  }
  return fail(
      ErrorCode::invalid_value,
      fmt::format("a batch of {} from {} of {} to {} of {}", batch.count,
                  batch.src_first, src_extent, batch.dst_first, dst_extent));
}

Result<void> set_arguments(cl_kernel kernel, const Tensor& src,
                           const Tensor& dst, const KernelSource& source,
                           const ReorderOptions& options, cl_mem outside) {
  cl_uint next = 0;
  cl_int status = CL_SUCCESS;
  const auto set = [&](const auto& value) {
    if (status == CL_SUCCESS) {
      status = clSetKernelArg(kernel, next++, sizeof value, &value);
    }
  };
  set(src.get());
  set(dst.get());
  if (options.batch) {
    for (const std::int64_t number :
         {options.batch->src_first, options.batch->dst_first,
          options.batch->count}) {
      if (source.bits == 32) {
        set(static_cast<cl_int>(number));
      } else {
        set(static_cast<cl_long>(number));
      }
    }
  }
  if (outside != nullptr) set(outside);
  if (status != CL_SUCCESS) return failed("clSetKernelArg", status);
  return {};
}

}  // namespace

bool checks_bounds_by_default() {
#ifdef NDEBUG
  return false;
#else
  return true;
#endif
}

namespace detail {

Result<const CompiledKernel*> kernel_of(QueueData& data, const Side& src,
                                        const Side& dst,
                                        const KernelOptions& options) {
  std::string key = fmt::format("{}{} ", options.fill == Fill::zero ? 'z' : 'k',
                                options.batched ? 'b' : 'a');
  for (const Side* side : {&src, &dst}) {
    key += fmt::format("{} of {} {} {};", print(side->layout.expression()),
                       print(side->layout.shape()), side->type.name,
                       side->storage == Storage::image ? "image" : "buffer");
  }
  Result<KernelSource> source = KernelSource{};
  // A part that is chosen, and tables that were given, are in the code alone.
  const bool told = src.layout.plain() && dst.layout.plain();
  if (!told) {
    source = kernel_source(src, dst, options);
    if (!source) return unexpected(source.error());
    key = source->code;
  }
  if (const auto found = data.programs.find(key);
      found != data.programs.end()) {
    return &found->second;
  }
  if (data.programs.size() >= most_programs) data.programs.clear();
  if (told) source = kernel_source(src, dst, options);
  if (!source) return unexpected(source.error());
  cl_int status = CL_SUCCESS;
  const char* text = source->code.c_str();
  CompiledKernel compiled;
  compiled.program = Program(clCreateProgramWithSource(
      data.context.get(), 1, &text, nullptr, &status));
  if (status != CL_SUCCESS) return failed("clCreateProgramWithSource", status);
  status = clBuildProgram(compiled.program.get(), 1, &data.device.id,
                          "-cl-std=CL1.2", nullptr, nullptr);
  if (status != CL_SUCCESS) {
    auto error = failed("clBuildProgram", status);
    error.value().message +=
        ": " + build_log(compiled.program.get(), data.device.id);
    return error;
  }
  compiled.kernel =
      Kernel(clCreateKernel(compiled.program.get(), "reorder", &status));
  if (status != CL_SUCCESS) return failed("clCreateKernel", status);
  compiled.source = *std::move(source);
  return &data.programs.emplace(std::move(key), std::move(compiled))
              .first->second;
}

}  // namespace detail

Queue::Queue(std::shared_ptr<detail::QueueData> data)
    : data_(std::move(data)) {}

Result<Queue> Queue::open(std::int32_t number, const QueueOptions& options) {
  const Result<std::vector<DeviceInfo>> all = devices();
  if (!all) return unexpected(all.error());
  if (all->empty()) {
    return fail(ErrorCode::unsupported,
                "no OpenCL device: no driver is installed, or it finds none");
  }
  if (number < 0 || static_cast<std::size_t>(number) >= all->size()) {
    return fail(
        ErrorCode::invalid_value,
        fmt::format("no OpenCL device {}: there are {}, numbered from 0",
                    number, all->size()));
  }
  const DeviceInfo& device = (*all)[static_cast<std::size_t>(number)];
  cl_int status = CL_SUCCESS;
  const Context context(
      clCreateContext(nullptr, 1, &device.id, nullptr, nullptr, &status));
  if (status != CL_SUCCESS) return failed("clCreateContext", status);
  const CommandQueue queue(
      clCreateCommandQueue(context.get(), device.id, 0, &status));
  if (status != CL_SUCCESS) return failed("clCreateCommandQueue", status);
  Result<Queue> opened = wrap(queue.get(), options);
  if (opened) opened->data_->device.number = number;
  return opened;
}

Result<Queue> Queue::wrap(cl_command_queue queue, const QueueOptions& options) {
  auto data = std::make_shared<detail::QueueData>();
  data->options = options;
  cl_context context = nullptr;
  cl_device_id device = nullptr;
  cl_platform_id platform = nullptr;
  cl_int status = clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context,
                                        static_cast<void*>(&context), nullptr);
  if (status == CL_SUCCESS) {
    status = clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device,
                                   static_cast<void*>(&device), nullptr);
  }
  cl_command_queue_properties properties = 0;
  if (status == CL_SUCCESS) {
    status = clGetCommandQueueInfo(queue, CL_QUEUE_PROPERTIES,
                                   sizeof properties, &properties, nullptr);
  }
  if (status != CL_SUCCESS) return failed("clGetCommandQueueInfo", status);
  if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0) {
    return fail(ErrorCode::unsupported,
                "the queue runs what it is given out of order");
  }
  status = clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform,
                           static_cast<void*>(&platform), nullptr);
  if (status != CL_SUCCESS) return failed("clGetDeviceInfo", status);
  Result<DeviceInfo> info = describe_device(platform, device);
  if (!info) return unexpected(info.error());
  data->device = *std::move(info);
  clRetainContext(context);
  data->context = Context(context);
  clRetainCommandQueue(queue);
  data->queue = CommandQueue(queue);
  if (options.check_bounds) {
    cl_int none = 0;
    data->outside =
        Memory(clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                              sizeof none, &none, &status));
    if (status != CL_SUCCESS) return failed("clCreateBuffer", status);
  }
  return Queue(std::move(data));
}

const DeviceInfo& Queue::device() const { return data_->device; }
cl_context Queue::context() const { return data_->context.get(); }
cl_command_queue Queue::get() const { return data_->queue.get(); }

std::int64_t Queue::programs() const {
  const std::lock_guard lock(data_->mutex);
  return static_cast<std::int64_t>(data_->programs.size());
}

Result<void> Queue::finish() const {
  if (const cl_int status = clFinish(get())) return failed("clFinish", status);
  return {};
}

Result<void> Queue::reorder(const Tensor& src, const Tensor& dst,
                            const ReorderOptions& options) const {
  if (src.get() == dst.get()) {
    return fail(ErrorCode::invalid_value,
                "src and dst of a reorder are the same memory");
  }
  const Side from{src.layout(), src.type(), src.storage()};
  const Side to{dst.layout(), dst.type(), dst.storage()};
  const std::lock_guard lock(data_->mutex);
  const Result<const CompiledKernel*> compiled =
      detail::kernel_of(*data_, from, to,
                        {.fill = options.fill,
                         .batched = options.batch.has_value(),
                         .check_bounds = data_->options.check_bounds});
  if (!compiled) return unexpected(compiled.error());
  const KernelSource& source = (*compiled)->source;
  cl_kernel kernel = (*compiled)->kernel.get();
  std::vector<std::size_t> global = source.global;
  std::vector<std::size_t> offset(global.size(), 0);
  if (options.batch) {
    const Batch& batch = *options.batch;
    auto checked = check_batch(batch, src.layout().shape()[0].extent,
                               dst.layout().shape()[0].extent);
    if (!checked || batch.count == 0) return checked;
    limit_to_batch(source.walks_src ? from : to,
                   source.walks_src ? batch.src_first : batch.dst_first,
                   batch.count, offset, global);
  }
  const bool zeroes =
      options.fill == Fill::zero && !options.batch && source.leaves_gaps;
  cl_int status = CL_SUCCESS;
  if (zeroes) {
    const cl_uchar zero = 0;
    status =
        clEnqueueFillBuffer(get(), dst.get(), &zero, sizeof zero, 0,
                            static_cast<std::size_t>(dst.layout().size_bytes()),
                            0, nullptr, nullptr);
    if (status != CL_SUCCESS) return failed("clEnqueueFillBuffer", status);
  }
  auto set =
      set_arguments(kernel, src, dst, source, options, data_->outside.get());
  if (!set) return set;
  status = clEnqueueNDRangeKernel(
      get(), kernel, static_cast<cl_uint>(global.size()), offset.data(),
      global.data(), nullptr, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return failed("clEnqueueNDRangeKernel", status);
  if (!data_->options.check_bounds) return {};
  cl_int outside = 0;
  const cl_int none = 0;
  status = clEnqueueReadBuffer(get(), data_->outside.get(), CL_TRUE, 0,
                               sizeof outside, &outside, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return failed("clEnqueueReadBuffer", status);
  if (outside == 0) return {};
  status = clEnqueueWriteBuffer(get(), data_->outside.get(), CL_TRUE, 0,
                                sizeof none, &none, 0, nullptr, nullptr);
  if (status != CL_SUCCESS) return failed("clEnqueueWriteBuffer", status);
  return fail(ErrorCode::invalid_value,
              fmt::format("the kernel would have touched {} places outside of "
                          "its memory",
                          outside));
}

}  // namespace stridewise::opencl
