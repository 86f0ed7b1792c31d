// stridewise kernels
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "common.hpp"

namespace stridewise::cli {

void add_kernels(Command app, Context& context) {
  Command command = app.add_command(
      "kernels", "the kernels that plans may use on this machine");
  command.footer(
      "In the order of preference. STRIDEWISE_ISA=portable, sse4, avx2, avx512 "
      "or "
      "avx512_vbmi leaves\nout what is beyond it.\n"
      "  STRIDEWISE_ISA=avx2 stridewise kernels");
  command.callback([&context] {
    Json kernels = Json::array();
    std::string text;
    for (const KernelInfo& kernel : available_kernels()) {
      kernels.push_back({{"name", kernel.name},
                         {"isa", kernel.isa},
                         {"element_bytes", kernel.element_bytes},
                         {"streams", kernel.streams}});
      text +=
          fmt::format("{:<24} {:<12} {:>2} B{}\n", kernel.name, kernel.isa,
                      kernel.element_bytes, kernel.streams ? "  streams" : "");
    }
    context.answer({{"kernels", std::move(kernels)}}, text);
  });
}

}  // namespace stridewise::cli
