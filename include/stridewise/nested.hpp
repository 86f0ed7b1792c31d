// A list of values whose type is not complete yet: what lets a digit hold digits. Its
// elements do not change; copies share them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace stridewise {

template <class T>
class NestedList {
 public:
  NestedList() = default;
  NestedList(std::vector<T> values)  // NOLINT: a list is a list
      : values_(std::make_shared<const std::vector<T>>(std::move(values))) {}

  [[nodiscard]] bool empty() const { return size() == 0; }
  [[nodiscard]] std::size_t size() const {
    return values_ == nullptr ? 0 : values_->size();
  }
  [[nodiscard]] const T* begin() const {
    return values_ == nullptr ? nullptr : values_->data();
  }
  [[nodiscard]] const T* end() const {
    return values_ == nullptr ? nullptr : values_->data() + values_->size();
  }
  // Pre: k < size().
  [[nodiscard]] const T& operator[](std::size_t k) const {
    return (*values_)[k];
  }
  [[nodiscard]] const T& front() const { return (*values_)[0]; }

  // By their elements.
  friend bool operator==(const NestedList& a, const NestedList& b) {
    if (a.values_ == b.values_) return true;
    if (a.size() != b.size()) return false;
    for (std::size_t k = 0; k < a.size(); ++k) {
      if (!(a[k] == b[k])) return false;
    }
    return true;
  }

 private:
  std::shared_ptr<const std::vector<T>> values_;
};

}  // namespace stridewise
