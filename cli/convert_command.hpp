// What convert and decode do: the options, one conversion, and parts in files of their
// own.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "common.hpp"
#include "dump_window.hpp"
#include "scales.hpp"
#include "sidecar.hpp"

namespace stridewise::cli {

struct ConvertCommand {
  std::string in, out, from, to, shape, dtype;
  std::string to_dtype;
  std::string from_window, to_window, to_shape;
  std::string device;
  std::string fill;  // a byte; empty: zeros
  WindowOptions window;
  ScaleOptions scales;
  std::string byte_order;
  std::vector<std::string> parts;
  std::vector<std::string> tables;
  bool packed = false;
  bool keep_gaps = false;
  bool sidecar = false;
  int threads = 0;
  bool needs_to = false;  // decode writes logical order where nothing is asked
};

// --part NAME: the part that moves; or --part NAME=FILE, each: parts in files of their own.
struct Parts {
  std::string chosen;
  std::vector<PartFile> files;
};
[[nodiscard]] Parts read_parts(const std::vector<std::string>& texts);

// Dims one after the other, as NumPy wants them: the layout's own logical order,
// or the shape's; of a part, its own.
[[nodiscard]] std::string logical_order(const ConvertCommand& options,
                                        const std::string& part);

// What the options say of any conversion; layouts, shape and files are left open.
[[nodiscard]] ConvertOptions common_options(
    const ConvertCommand& options, std::span<const LayoutSource> layouts);

// Converts one file, of which `in` was made before its sidecar was read; what a sidecar
// says of OUT is written with it, or goes.
[[nodiscard]] ConvertReport convert_one(const Context& context,
                                        const ConvertCommand& options,
                                        ConvertOptions convert,
                                        const Unchanged& in);

// The report for people, of files that the command line names so, and as JSON.
[[nodiscard]] std::string text_of(const ConvertReport& report,
                                  const std::string& in,
                                  const std::string& out);
[[nodiscard]] Json json_of(const ConvertReport& report);

// The memory that options.in names to a file a part, or files to that memory: the layout
// that has parts tells.
void run_parts(const Context& context, const ConvertCommand& options,
               const std::vector<PartFile>& files);

}  // namespace stridewise::cli
