// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <iostream>
#include <string>

namespace stridewise::cli {

ProgressBar::ProgressBar(bool shown) : shown_(shown && ::isatty(2) == 1) {}

ProgressBar::~ProgressBar() {
  if (drawn_) std::cerr << "\r\x1b[K" << std::flush;
}

void ProgressBar::update(double done) {
  const auto percent = static_cast<int>(std::floor(100 * done));
  if (!shown_ || percent == percent_ || (!drawn_ && done > 0.5)) return;
  percent_ = percent;
  drawn_ = true;
  std::string bar(static_cast<std::size_t>(percent) * 2 / 5, '#');
  bar.resize(40, '.');
  std::cerr << fmt::format("\r[{}] {:3}%", bar, percent) << std::flush;
}

}  // namespace stridewise::cli
