// SPDX-License-Identifier: Apache-2.0
#include <exception>

#include "base/expects.hpp"
#include "layout/boxes.hpp"
#include "reorder/scaled.hpp"

namespace stridewise {
namespace {

// Elements that are brought into logical order at once: they stay in the caches.
constexpr std::int64_t box_elements = std::int64_t{1} << 16;

// One box, by way of its elements in logical order.
Result<void> convert_box(const Layout& src, const std::byte* from,
                         const Layout& dst, std::byte* to,
                         const ScaledConversion& scaled, const Box& box) {
  std::vector<Slice> window;
  for (std::size_t d = 0; d < box.shape.size(); ++d) {
    window.push_back(
        {box.shape[d].name, box.begin[d], box.begin[d] + box.shape[d].extent});
  }
  const Result<Layout> src_part = src.window(window);
  if (!src_part) return unexpected(src_part.error());
  const Result<Layout> dst_part = dst.window(window);
  if (!dst_part) return unexpected(dst_part.error());
  const Values& values = scaled.values();
  const Result<Layout> read = row_major(*src_part, 8 * values.src.bytes());
  if (!read) return unexpected(read.error());
  const Result<Layout> written = row_major(*dst_part, 8 * values.dst.bytes());
  if (!written) return unexpected(written.error());
  const PlanOptions keep{.fill = Fill::keep};
  const Result<Plan> gather = Plan::make(*src_part, *read, keep);
  if (!gather) return unexpected(gather.error());
  const Result<Plan> scatter = Plan::make(*written, *dst_part, keep);
  if (!scatter) return unexpected(scatter.error());
  std::vector<std::byte> before(static_cast<std::size_t>(read->size_bytes()));
  std::vector<std::byte> after(static_cast<std::size_t>(written->size_bytes()));
  gather->run(from, before.data());
  scaled.box(box.begin, box.shape, before.data(), after.data());
  scatter->run(after.data(), to);
  return {};
}

}  // namespace

Result<void> convert_scaled(const Layout& src, const std::byte* from,
                            const Layout& dst, std::byte* to,
                            const Values& values, const Scales& scales,
                            const ParallelFor& parallel_for) {
  STRIDEWISE_EXPECTS(parallel_for != nullptr,
                     "convert_scaled: a parallel_for that is not empty");
  if (src.element_bits() % 8 != 0 || dst.element_bits() % 8 != 0) {
    return fail(ErrorCode::unsupported,
                "scales of a dim need whole bytes: unpack the elements first");
  }
  const auto scaled = ScaledConversion::make(values, scales, src.shape());
  if (!scaled) return unexpected(scaled.error());
  const std::vector<Box> boxes = boxes_of(src, dst, box_elements);
  std::vector<Result<void>> done(boxes.size());
  std::vector<std::exception_ptr> thrown(boxes.size());
  parallel_for(std::ssize(boxes), [&](std::int64_t k) {
    const auto at = static_cast<std::size_t>(k);
    // A caller's threads need not know of exceptions.
    try {
      done[at] = convert_box(src, from, dst, to, *scaled, boxes[at]);
    } catch (...) {
      thrown[at] = std::current_exception();
    }
  });
  for (std::size_t at = 0; at < done.size(); ++at) {
    if (thrown[at]) std::rethrow_exception(thrown[at]);
    if (!done[at]) return done[at];
  }
  return {};
}

}  // namespace stridewise
