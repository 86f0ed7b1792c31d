// Emitted OpenCL C on a device, against the layout that it is emitted from: all
// elements and all places of all layouts in one program.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "stridewise/opencl.hpp"
#include "support/emitted.hpp"

namespace stridewise::opencl {
namespace {

using testing::EmitCase;

// One work-item a place: whether an element is there, and what the index that
// is found says of it, forward again. 16 numbers each.
constexpr std::size_t record = 16;

std::string kernel_of(const std::vector<EmitCase>& cases) {
  std::string code;
  std::string choices;
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const std::string name = fmt::format("l{}", k);
    code += testing::with_wrappers(cases[k], EmitLanguage::opencl, name,
                                   "__attribute__((noinline))", "long");
    choices += fmt::format(
        "    case {0}: found = {1}_back(place, x); if (found) {{ at = "
        "{1}_at(x); {1}_along(x, out); }} break;\n",
        k, name);
  }
  return code + fmt::format(R"(
__kernel void check_all(const int which, __global long *records) {{
  const long place = (long)get_global_id(0) - 3;
  long x[8] = {{0}}, out[6] = {{0}}, at = -1;
  int found = 0;
  switch (which) {{
{}  }}
  __global long *const record = records + get_global_id(0) * {};
  record[0] = found;
  record[1] = at;
  for (int k = 0; k < 8; ++k) record[2 + k] = x[k];
  for (int k = 0; k < 6; ++k) record[10 + k] = out[k];
}}
)",
                            choices, record);
}

TEST(EmittedOpenCl, EqualsTheLayoutOnEveryElementAndPlace) {
  const Queue queue = testing::value_or_throw(Queue::open(0));
  const std::vector<EmitCase> cases = testing::emit_cases(0);
  const std::string source = kernel_of(cases);
  const char* text = source.c_str();
  cl_int status = 0;
  cl_program program =
      clCreateProgramWithSource(queue.context(), 1, &text, nullptr, &status);
  ASSERT_EQ(
      clBuildProgram(program, 0, nullptr, "-cl-std=CL1.2", nullptr, nullptr),
      CL_SUCCESS);
  // The compiler says nothing, so it warns of nothing.
  std::size_t log = 0;
  clGetProgramBuildInfo(program, queue.device().id, CL_PROGRAM_BUILD_LOG, 0,
                        nullptr, &log);
  EXPECT_LE(log, 1U);
  cl_kernel kernel = clCreateKernel(program, "check_all", &status);
  ASSERT_EQ(status, CL_SUCCESS);

  std::int64_t most = 0;
  for (const EmitCase& c : cases) most = std::max(most, c.layout.places());
  const auto items = static_cast<std::size_t>(most) + 16;
  std::vector<std::int64_t> records(items * record);
  cl_mem memory = clCreateBuffer(queue.context(), CL_MEM_WRITE_ONLY,
                                 records.size() * 8, nullptr, &status);
  ASSERT_EQ(status, CL_SUCCESS);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    const EmitCase& c = cases[k];
    SCOPED_TRACE(testing::describe(c));
    const auto which = static_cast<cl_int>(k);
    clSetKernelArg(kernel, 0, sizeof which, &which);
    clSetKernelArg(kernel, 1, sizeof memory, static_cast<void*>(&memory));
    const std::size_t group = 16;
    const std::size_t global = items / group * group;
    ASSERT_EQ(clEnqueueNDRangeKernel(queue.get(), kernel, 1, nullptr, &global,
                                     &group, 0, nullptr, nullptr),
              CL_SUCCESS);
    ASSERT_EQ(
        clEnqueueReadBuffer(queue.get(), memory, CL_TRUE, 0, records.size() * 8,
                            records.data(), 0, nullptr, nullptr),
        CL_SUCCESS);
    std::vector<std::int64_t> index(c.layout.shape().size());
    std::vector<std::int64_t> coordinates(c.layout.axes().size());
    for (std::int64_t place = -3; place < c.layout.places(); ++place) {
      const std::int64_t* const got =
          records.data() + static_cast<std::size_t>(place + 3) * record;
      const bool element =
          place >= 0 && c.layout.element_at(place, index) == Place::element;
      ASSERT_EQ(got[0], element ? 1 : 0) << place;
      if (!element) continue;
      ASSERT_EQ(got[1], place);
      c.layout.coordinates_of(index, coordinates);
      ASSERT_TRUE(std::equal(index.begin(), index.end(), got + 2)) << place;
      ASSERT_TRUE(std::equal(coordinates.begin(), coordinates.end(), got + 10));
    }
  }
  clReleaseMemObject(memory);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

}  // namespace
}  // namespace stridewise::opencl
