// The tasks of one call: threads take them one by one until none is left.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <functional>

namespace stridewise {

class Tasks {
 public:
  Tasks(std::int64_t count, const std::function<void(std::int64_t)>& body)
      : count_(count), body_(body) {}

  // By any number of threads. After a task that throws none begins.
  void work() noexcept {
    try {
      for (std::int64_t k = next_++; k < count_ && !failed_; k = next_++) {
        body_(k);
      }
    } catch (...) {
      if (!failed_.exchange(true)) failure_ = std::current_exception();
    }
  }
  // Throws what a task threw. Pre: no thread is in work().
  void finish() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  const std::int64_t count_;
  const std::function<void(std::int64_t)>& body_;
  std::atomic<std::int64_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::exception_ptr failure_;
};

}  // namespace stridewise
