// How far a long command is.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace stridewise::cli {

// A bar on stderr, redrawn when a percent is done; nothing elsewhere than on a
// terminal, and nothing for what is done at once.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // What was done before may begin again: another pass.
  void update(double done);

 private:
  bool shown_;
  bool drawn_ = false;
  int percent_ = -1;
};

}  // namespace stridewise::cli
