// stridewise convert IN OUT --from A --to B
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cmath>
#include <csignal>
#include <iostream>
#include <memory>

#include "common.hpp"
#include "device.hpp"
#include "stridewise/threads.hpp"

namespace stridewise::cli {
namespace {

struct Options {
  std::string in, out, from, to, shape, dtype;
  std::string to_dtype;
  std::string device;
  Quantisation quantisation;
  bool keep_gaps = false;
  int threads = 0;
};

// A bar on stderr, redrawn when a percent is done; nothing elsewhere than on a
// terminal, and nothing for what is done at once.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown) : shown_(shown && ::isatty(2) == 1) {}
  ~ProgressBar() {
    if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void update(double done) {
    const auto percent = static_cast<int>(std::floor(100 * done));
    if (!shown_ || percent == percent_ || (!drawn_ && done > 0.5)) return;
    percent_ = percent;
    drawn_ = true;
    std::string bar(static_cast<std::size_t>(percent) * 2 / 5, '#');
    bar.resize(40, '.');
    std::cerr << fmt::format("\r[{}] {:3}%", bar, percent) << std::flush;
  }

 private:
  bool shown_;
  bool drawn_ = false;
  int percent_ = -1;
};

// A mapped file that another process cuts short, and a file larger than the
// user's limit, come as signals; both are errors like others.
void turn_signals_into_errors() {
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGBUS, [](int) {
    constexpr std::string_view message =
        "stridewise: a file changed its size while it was converted\n";
    [[maybe_unused]] const auto written =
        ::write(2, message.data(), message.size());
    ::_exit(exit_bad_input);
  });
}

void run(Context& context, const Options& options) {
  turn_signals_into_errors();
  const std::vector<LayoutSource> sources =
      resolve_all(std::array{options.from, options.to}, options.shape);
  ConvertOptions convert{.in = options.in,
                         .out = options.out,
                         .from = sources[0],
                         .to = sources[1]};
  if (!options.shape.empty()) {
    convert.shape = shape_for(options.shape, sources);
  }
  if (!options.dtype.empty()) {
    convert.type = value_of(parse_element_type(options.dtype));
  }
  if (!options.to_dtype.empty()) {
    convert.to_type = value_of(parse_element_type(options.to_dtype));
  } else if (options.quantisation != Quantisation{}) {
    throw Failure{
        {ErrorCode::mismatch, "--scale and --zero-point need --to-dtype"}};
  }
  convert.quantisation = options.quantisation;
  convert.fill = options.keep_gaps ? Fill::keep : Fill::zero;
  convert.parallel_for = make_parallel_for(options.threads);
  Mover mover{"cpu", {}};
  if (!options.device.empty()) {
    mover = mover_on(options.device, convert.fill);
    convert.move = mover.move;
  }
  ProgressBar bar(!context.json);
  convert.progress = [&bar](double done) { bar.update(done); };
  const ConvertReport report = value_of(convert_file(convert));
  const auto moved =
      static_cast<double>(report.bytes_read + report.bytes_written);
  const double gbps = report.seconds > 0 ? moved / report.seconds / 1e9 : 0.0;
  context.answer(
      {{"elements", report.src.elements()},
       {"bytes_read", report.bytes_read},
       {"bytes_written", report.bytes_written},
       {"seconds", report.seconds},
       {"gbps", gbps},
       {"shape", print(report.src.shape())},
       {"dtype", report.type.name},
       {"to_dtype", report.to_type.name},
       {"from", print(report.src.expression())},
       {"to", print(report.dst.expression())},
       {"device", mover.device},
       {"plan", plan_json(report.plan)}},
      fmt::format("{}: {} of {}, {} -> {} in {}, {:.1f} "
                  "GB/s\n",
                  options.out, print(report.src.shape()), report.to_type.name,
                  print_bytes(static_cast<double>(report.bytes_read)),
                  print_bytes(static_cast<double>(report.bytes_written)),
                  print_seconds(report.seconds), gbps));
}

}  // namespace

void add_convert(CLI::App& app, Context& context) {
  auto* command = app.add_subcommand(
      "convert",
      "a file from one layout to another: a tensor, a weight, a dump");
  command->footer(
      "Files named *.npy are NumPy arrays, all others raw bytes. A .npy source "
      "of a layout\nwithout padding tells shape and dtype itself; else give "
      "--shape (logical extents) and\n--dtype. A .npy output has one dim a "
      "digit: nChw8c of 2x17x5x4 is 2x3x5x4x8.\nOUT appears whole or not at "
      "all, replaces a file of that name, and is never the input.\n"
      "  stridewise convert x.npy x16.npy --from nchw --to nChw16c\n"
      "  stridewise convert dump.bin x.npy --from 'okk.aligned(start=2)' --to "
      "nchw \\\n      --shape 2x70x14x14 --dtype f32\n"
      "  stridewise convert x.npy q.npy --from nchw --to nhwc --to-dtype s8 "
      "--scale 0.05");
  auto options = std::make_shared<Options>();
  command->add_option("IN", options->in, "source file")->required();
  command->add_option("OUT", options->out, "destination file")->required();
  command->add_option("--from,-f", options->from, "layout of IN")->required();
  command->add_option("--to,-o", options->to, "layout of OUT")->required();
  command->add_option("--shape,-s", options->shape,
                      "logical extents: n=2,c=17,h=5,w=4 or 2x17x5x4");
  command->add_option("--dtype,-t", options->dtype,
                      "element type; bf16 reads 2-byte .npy data as such");
  command->add_option("--to-dtype", options->to_dtype,
                      "element type of OUT: f32 to f16, bf16, s8 or u8, or "
                      "back");
  command
      ->add_option("--scale", options->quantisation.scale,
                   "s8, u8: real = (integer - zero point) * scale")
      ->capture_default_str();
  command
      ->add_option("--zero-point", options->quantisation.zero_point,
                   "s8, u8: the integer that means 0")
      ->capture_default_str();
  command->add_flag("--keep-gaps", options->keep_gaps,
                    "OUT exists: leave its bytes that hold no element as they "
                    "are, instead of zeros");
  command
      ->add_option("--threads,-j", options->threads,
                   "threads; 0: as many as the machine has")
      ->check(CLI::Range(0, 4096));
  command->add_option("--device", options->device,
                      "opencl or opencl:N: move on that device; the same bytes "
                      "('stridewise devices')");
  command->callback([&context, options] { run(context, *options); });
}

}  // namespace stridewise::cli
