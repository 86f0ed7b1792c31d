// stridewise devices
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "common.hpp"
#ifdef STRIDEWISE_HAS_OPENCL
#include "stridewise/opencl.hpp"
#endif

namespace stridewise::cli {
namespace {

#ifdef STRIDEWISE_HAS_OPENCL

void run_devices(Context& context) {
  const std::vector<opencl::DeviceInfo> devices = value_of(opencl::devices());
  std::vector<std::string> platforms;
  Json list = Json::array();
  std::string text;
  for (const opencl::DeviceInfo& device : devices) {
    if (std::ranges::find(platforms, device.platform) == platforms.end()) {
      platforms.push_back(device.platform);
    }
    list.push_back({{"device", fmt::format("opencl:{}", device.number)},
                    {"number", device.number},
                    {"platform", device.platform},
                    {"name", device.name},
                    {"vendor", device.vendor},
                    {"version", device.version},
                    {"driver", device.driver},
                    {"kind", device.kind},
                    {"memory_bytes", device.memory_bytes},
                    {"allocation_max_bytes", device.allocation_max_bytes},
                    {"images", device.images},
                    {"image_width_max", device.image_width_max},
                    {"image_height_max", device.image_height_max},
                    {"formats", device.formats}});
    text += fmt::format(
        "opencl:{}  {} ({})\n  platform    {}, {}\n  memory      {}, at most "
        "{} at once\n",
        device.number, device.name, device.kind, device.platform,
        device.version, print_bytes(static_cast<double>(device.memory_bytes)),
        print_bytes(static_cast<double>(device.allocation_max_bytes)));
    text += device.images
                ? fmt::format(
                      "  images      at most {} x {} pixels\n  RGBA    "
                      "    {}\n",
                      device.image_width_max, device.image_height_max,
                      fmt::join(device.formats, " "))
                : "  images      none\n";
  }
  if (devices.empty()) text = "no OpenCL device: no driver finds one\n";
  context.answer({{"platforms", platforms}, {"devices", list}}, text);
}

#else

void run_devices(Context&) {
  throw Failure{{ErrorCode::unsupported, "this build has no OpenCL"}};
}

#endif

}  // namespace

void add_devices(Command app, Context& context) {
  Command command =
      app.add_command("devices", "OpenCL devices: limits and image formats");
  command.footer(
      "  stridewise devices\n"
      "  stridewise convert x.npy y.bin --from nchw --to "
      "mace.channel --device opencl:0");
  command.callback([&context] { run_devices(context); });
}

}  // namespace stridewise::cli
