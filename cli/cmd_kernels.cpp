// stridewise kernels
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>

#include "common.hpp"

namespace stridewise::cli {
namespace {

void show_menu(Context& context) {
  Json menu = Json::array();
  std::string text;
  for (const MenuEntry& entry : plan_menu()) {
    menu.push_back({{"name", entry.name}, {"what", entry.what}});
    text += fmt::format("{:<10} {}\n", entry.name, entry.what);
  }
  context.answer({{"menu", std::move(menu)}}, text);
}

}  // namespace

void add_kernels(Command app, Context& context) {
  Command command = app.add_command(
      "kernels", "the kernels that plans may use on this machine");
  command.footer(
      "In the order of preference. STRIDEWISE_ISA=portable, sse4, avx2, avx512 "
      "or "
      "avx512_vbmi leaves\nout what is beyond it.\n"
      "  STRIDEWISE_ISA=avx2 stridewise kernels");
  auto menu = std::make_shared<bool>(false);
  command.add_flag("--menu", *menu,
                   "what plans choose from instead: the ways to move");
  command.callback([&context, menu] {
    if (*menu) return show_menu(context);
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
