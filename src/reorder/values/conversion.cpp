// SPDX-License-Identifier: Apache-2.0
#include "reorder/values/conversion.hpp"

#include <algorithm>

namespace stridewise {
namespace {

// Values that are converted by all steps before the next ones are.
constexpr std::int64_t chunk = 256;
constexpr std::size_t widest = 8;  // bytes of what lies between two steps

std::int64_t bytes_of(std::string_view name) {
  return parse_element_type(name)->bytes();
}

}  // namespace

// Collects the steps from one type to another.
class ValueConversion::Path {
 public:
  explicit Path(std::string_view from) : at_(from) {
    conversion_.bytes_[0] = bytes_of(from);
  }

  // By a converter of the table, to another type.
  void go(std::string_view to) {
    if (at_ == to) return;
    const Converter* const converter = find_converter(at_, to);
    if (converter == nullptr) {
      lost_ = true;
      return;
    }
    go(to, converter->run);
    conversion_.stream_ = conversion_.steps_ == 1 ? converter->stream : nullptr;
  }
  // By this function.
  void go(std::string_view to, ConvertRuns by) {
    conversion_.step_[conversion_.steps_] = by;
    ++conversion_.steps_;
    conversion_.bytes_[conversion_.steps_] = bytes_of(to);
    at_ = to;
  }

  [[nodiscard]] std::string_view at() const { return at_; }
  [[nodiscard]] std::optional<ValueConversion> end() const {
    if (lost_) return std::nullopt;
    return conversion_;
  }

  // By the types on the way between two that no converter is for.
  void go_between(const ElementType& src, const ElementType& dst) {
    if (src.is_integer() && dst.is_integer()) return go("s64");
    if (!needs_double(src) && !needs_double(dst)) return go("f32");
    const WideConverters& by = wide_converters();
    if (!src.is_integer() && src.name != "f64") go("f32");
    if (src.name == "s64") go("f64", by.odd_f64_of_s64);
    if (src.name == "u64") go("f64", by.odd_f64_of_u64);
    go("f64");
    if (!dst.is_integer() && dst.name != "f32") go("f32", by.odd_f32_of_f64);
  }

 private:
  std::string_view at_;
  ValueConversion conversion_;
  bool lost_ = false;
};

std::optional<ValueConversion> find_conversion(const Values& values) {
  const auto& [src, dst, quantisation] = values;
  if (src.name == dst.name) return std::nullopt;
  if (changes_width(values) &&
      (src.bits != own_bits(src) || dst.bits != own_bits(dst))) {
    return std::nullopt;
  }
  ValueConversion::Path path(src.name);
  if (find_converter(src.name, dst.name) == nullptr) {
    path.go_between(src, dst);
  }
  path.go(dst.name);
  return path.end();
}

void ValueConversion::run_steps(const ValueRuns& runs,
                                const Quantisation& quantisation) const {
  alignas(64) std::array<std::byte, chunk * widest> here;   // NOLINT: written
  alignas(64) std::array<std::byte, chunk * widest> there;  // before it is read
  each_run(runs, [&](const std::byte* src, std::byte* dst, std::int64_t count,
                     std::ptrdiff_t) {
    for (std::int64_t first = 0; first < count; first += chunk) {
      ValueRuns step{};
      step.count = std::min(chunk, count - first);
      step.runs = 1;
      step.dst = here.data();
      step.src = src + first * bytes_[0];
      for (std::size_t k = 0; k < steps_; ++k) {
        std::byte* const next =
            step.dst == here.data() ? there.data() : here.data();
        if (k + 1 == steps_) step.dst = dst + first * bytes_[steps_];
        step_[k](step, quantisation);
        step.src = step.dst;
        step.dst = next;
      }
    }
  });
}

}  // namespace stridewise
