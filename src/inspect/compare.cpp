// SPDX-License-Identifier: Apache-2.0
#include "inspect/compare.hpp"

#include <algorithm>
#include <cstring>

#include "inspect/parts.hpp"
#include "inspect/tally.hpp"
#include "layout/index.hpp"
#include "stridewise/reorder.hpp"

namespace stridewise::inspect {
namespace {

constexpr std::int64_t part_bytes = std::int64_t{16} << 20;
// What is skipped at once where nothing differs.
constexpr std::int64_t block_bytes = std::int64_t{1} << 14;

using Index = std::vector<std::int64_t>;

// Runs in memory are along the dim whose neighbours are neighbours there; those
// in logical order are along the last one.
std::size_t dim_of_runs(const Sides& sides) {
  if (sides.same_memory()) {
    for (const BoundTerm& term : sides.a.terms()) {
      if (term.flat_stride == 1 && term.extent > 1) {
        return static_cast<std::size_t>(term.dim);
      }
    }
  }
  return sides.a.shape().empty() ? 0 : sides.a.shape().size() - 1;
}

class Comparer {
 public:
  Comparer(const Sides& sides, const DiffOptions& options, DiffReport& report)
      : sides_(sides),
        options_(options),
        width_(sides.compared.bytes()),
        tally_(sides, dim_of_runs(sides), report) {}

  Result<Extent> run() {
    if (sides_.same_memory()) {
      in_memory_order();
      return found();
    }
    for (const Box& box :
         boxes_of(sides_.a, sides_.b,
                  std::max(part_bytes / width_, std::int64_t{1}))) {
      if (auto done = in_logical_order(box); !done) {
        return unexpected(done.error());
      }
    }
    return found();
  }

 private:
  [[nodiscard]] Extent found() const {
    Extent extent = tally_.extent();
    extent.examples = tally_.examples();
    return extent;
  }

  // Calls visit(first, end), in elements, for each block that differs.
  template <class Visit, class Passed>
  void for_each_block(const std::byte* a, const std::byte* b,
                      std::int64_t elements, Visit visit, Passed passed) {
    const std::int64_t block = std::max<std::int64_t>(block_bytes / width_, 1);
    for (std::int64_t first = 0; first < elements; first += block) {
      const std::int64_t end = std::min(first + block, elements);
      const std::byte* const at_a = a + first * width_;
      const std::byte* const at_b = b + first * width_;
      if (std::memcmp(at_a, at_b,
                      static_cast<std::size_t>((end - first) * width_)) != 0 &&
          !tally_.judge().all_pass(at_a, at_b, end - first)) {
        visit(first, end);
      }
      passed(end * width_);
    }
  }

  // Equal layouts: equal bytes are equal elements. The places that differ are
  // asked what they hold.
  void in_memory_order() {
    const std::byte* const a = sides_.a_bytes.data();
    const std::byte* const b = sides_.b_bytes.data();
    Index index(sides_.a.shape().size());
    const auto visit = [&](std::int64_t place, std::int64_t end) {
      while (place < end) {
        std::int64_t count = 1;
        if (sides_.a.element_at(place, index) == Place::element) {
          if (!index.empty()) {
            count =
                tally_.along().run(index[tally_.along().dim()], end - place);
          }
          tally_.run(index, count, a + place * width_, b + place * width_);
        }
        place += count;
      }
    };
    std::int64_t told = 0;
    for_each_block(a, b, sides_.a.places(), visit, [&](std::int64_t byte) {
      if (!options_.passed || byte - told < 4 * part_bytes) return;
      told = byte;
      options_.passed(told, told);
    });
  }

  Result<void> in_logical_order(const Box& box) {
    const Result<Layout> dense = logical_order(box.shape, width_);
    if (!dense) return unexpected(dense.error());
    buffer_a_.resize(static_cast<std::size_t>(dense->size_bytes()));
    buffer_b_.resize(buffer_a_.size());
    if (auto read = gather(sides_.a, sides_.a_bytes, sides_.reading_a, box,
                           *dense, buffer_a_);
        !read) {
      return read;
    }
    if (auto read = gather(sides_.b, sides_.b_bytes, sides_.reading_b, box,
                           *dense, buffer_b_);
        !read) {
      return read;
    }
    const std::byte* const a = buffer_a_.data();
    const std::byte* const b = buffer_b_.data();
    const std::int64_t row = box.shape.empty() ? 1 : box.shape.back().extent;
    const auto visit = [&](std::int64_t element, std::int64_t end) {
      Index index = index_of(box.shape, element);
      for (std::size_t d = 0; d < index.size(); ++d) index[d] += box.begin[d];
      while (element < end) {
        const std::int64_t count = std::min(row - element % row, end - element);
        tally_.run(index, count, a + element * width_, b + element * width_);
        element += count;
        // The next row: only the first one may begin within.
        for (std::size_t d = index.size(); d-- > 0;) {
          index[d] += d + 1 == index.size() ? box.shape[d].extent : 1;
          if (index[d] < box.begin[d] + box.shape[d].extent) break;
          index[d] = box.begin[d];
        }
      }
    };
    for_each_block(a, b, dense->elements(), visit, [](std::int64_t) {});
    if (options_.passed) options_.passed(0, 0);
    return {};
  }

  // The elements of a box, as they are compared, in logical order.
  Result<void> gather(const Layout& layout, std::span<const std::byte> bytes,
                      const Reading& reading, const Box& box,
                      const Layout& dense, std::vector<std::byte>& into) {
    const Result<Layout> part = part_of(layout, box);
    if (!part) return unexpected(part.error());
    if (!reading.by_index()) {
      return move(*part, bytes, dense, into, reading.fused());
    }
    const Result<Layout> stored =
        logical_order(box.shape, layout.element_bytes());
    if (!stored) return unexpected(stored.error());
    stored_.resize(static_cast<std::size_t>(stored->size_bytes()));
    if (auto moved = move(*part, bytes, *stored, stored_, {}); !moved) {
      return moved;
    }
    reading.box(box, stored_.data(), into.data());
    return {};
  }

  static Result<void> move(const Layout& from, std::span<const std::byte> bytes,
                           const Layout& to, std::vector<std::byte>& into,
                           const std::optional<Values>& values) {
    const Result<Plan> plan =
        Plan::make(from, to, PlanOptions{.fill = Fill::keep, .values = values});
    if (!plan) return unexpected(plan.error());
    plan->run(bytes.data(), into.data());
    return {};
  }

  const Sides& sides_;
  const DiffOptions& options_;
  const std::int64_t width_;  // of compared elements
  Tally tally_;
  std::vector<std::byte> buffer_a_;
  std::vector<std::byte> buffer_b_;
  std::vector<std::byte>
      stored_;  // of a side whose scales change with an index
};

}  // namespace

Result<Extent> compare(const Sides& sides, const DiffOptions& options,
                       DiffReport& report) {
  return Comparer(sides, options, report).run();
}

}  // namespace stridewise::inspect
