// Moving a tensor from one layout to another.
//
//   Layout (mathematics) -> Plan (a value) -> run (bytes)
//
// All that can fail fails before a Plan exists; running one cannot fail.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "stridewise/layout.hpp"
#include "stridewise/parallel.hpp"
#include "stridewise/result.hpp"
#include "stridewise/values.hpp"

namespace stridewise {

// What becomes of dst's bytes that hold no element (padding and gaps).
enum class Fill : std::uint8_t {
  zero,  // dst is a fresh buffer: they are set to zero
  keep,  // dst holds something already: they stay as they are
};

// What a plan does, for people and tools. Strides are in bytes; loops are from
// the outermost in.
struct PlanLoop {
  std::int64_t count;
  std::int64_t src_stride;
  std::int64_t dst_stride;

  friend bool operator==(const PlanLoop&, const PlanLoop&) = default;
};

// One rectangular nest of loops around one kernel.
struct PlanNest {
  std::vector<PlanLoop> loops;  // around the kernel's tile
  // Walked by the kernel itself: rows and columns. Rows that follow each other
  // in dst but have no one stride in src are the loops of `rows` together, and
  // columns that follow each other in src those of `columns`.
  std::vector<PlanLoop> tile;
  std::vector<PlanLoop> rows = {};
  std::vector<PlanLoop> columns = {};
  std::string kernel = {};
  std::int64_t element_bytes;  // what the kernel moves at once
  std::int64_t src_offset;     // bytes
  std::int64_t dst_offset;     // bytes
  bool fills = false;          // writes zeros; src is not read
  std::int64_t zeros =
      0;                 // elements of zeros after each run or row of the tile
  bool streams = false;  // stores pass by the caches
  // By way of a buffer in the nearest cache, block by block: `loops` are those around
  // blocks, `rows` those of a block in src and dst, or the whole of those that blocks cut,
  // and `kernel` is the one that writes dst. `steps` are what a block passes one after the
  // other. Without it `steps` are empty.
  bool staged = false;
  std::vector<PlanNest> steps = {};
  // Of the elements that it moves, or of the zeros that it writes alone. Where values
  // change, of the narrower type.
  std::int64_t bytes = 0;

  friend bool operator==(const PlanNest&, const PlanNest&) = default;
};

namespace detail {
struct PlanData;
}

// Which stores a plan uses where a kernel has both. Streaming pays once src and
// dst together no longer fit the last-level cache.
enum class Stores : std::uint8_t { by_size, cached, streaming };

struct PlanOptions {
  Fill fill = Fill::zero;
  Stores stores = Stores::by_size;
  // How values change on the way, in the same pass. Padding stays zero bytes.
  // Without it elements move as they are, whatever their type.
  std::optional<Values> values = {};
  // The machine whose costs decide between ways to move, see explain.hpp: the one that runs
  // this, one by its name, or the text of a profile.
  std::string machine = {};

  friend bool operator==(const PlanOptions&, const PlanOptions&) = default;
};

// How to write every element of src into dst. Immutable, cheap to copy, and
// safe to run from several threads at once on different buffers. One that was moved from
// can be destroyed and assigned to, no more.
class Plan {
 public:
  // Errors: the defect of a dst that is not valid, or why a src cannot be read. Dims that
  // differ; element widths that differ from each other, or from those of `values`. Values
  // that cannot change so; 64-bit overflow. A machine that is not known, or has instructions
  // that this one has not.
  [[nodiscard]] static Result<Plan> make(const Layout& src, const Layout& dst,
                                         const PlanOptions& options);
  [[nodiscard]] static Result<Plan> make(const Layout& src, const Layout& dst,
                                         Fill fill = Fill::zero) {
    return make(src, dst, PlanOptions{.fill = fill});
  }

  [[nodiscard]] std::vector<PlanNest> nests() const;
  [[nodiscard]] std::int64_t src_bytes() const;  // that src must have
  [[nodiscard]] std::int64_t dst_bytes() const;
  // What a run reads of src (its elements) and writes to dst (elements, and the
  // zeros of padding and gaps where the plan fills them).
  [[nodiscard]] std::int64_t bytes_read() const;
  [[nodiscard]] std::int64_t bytes_written() const;
  // Whether run() hands tasks to the parallel_for it is given, or does so little
  // that the calling thread does it all.
  [[nodiscard]] bool uses_threads() const;
  // Readable, several lines.
  [[nodiscard]] std::string to_string() const;

  // Runs the plan. Pre: src and dst do not overlap and have src_bytes() and
  // dst_bytes(); any alignment. What src's padding holds reaches nothing.
  // Post: dst[dst_layout.offset(x)] == src[src_layout.offset(x)], or what that
  // value converts to, for every index x; every other byte of dst is zero, or
  // untouched (Fill::keep). Uses parallel_for only for work that is worth handing
  // out. Allocates nothing, but where values change of elements whose bits lie apart: then
  // some megabytes for the time of the run, or a 64th of the tensor; all of it where its
  // longest dim is cut. Where there is no memory, it does without, as slowly as the
  // reference.
  void run(const std::byte* src, std::byte* dst) const;
  void run(const std::byte* src, std::byte* dst,
           const ParallelFor& parallel_for) const;

  // The same in parts, for progress reports: run_task(0) .. run_task(tasks-1)
  // in any order; no two write the same byte.
  [[nodiscard]] std::int64_t tasks() const;
  void run_task(std::int64_t task, const std::byte* src,
                std::byte* dst) const noexcept;

  // The same nests, and values that change in the same way.
  friend bool operator==(const Plan& a, const Plan& b);

 private:
  explicit Plan(std::shared_ptr<const detail::PlanData> data);
  [[nodiscard]] const detail::PlanData& data() const;
  std::shared_ptr<const detail::PlanData> data_;
};

// A memory of the same tensor in logical order, each element in whole bytes, without
// padding: what Plan::make(like, row_major(like, bits)) decodes to. Of a part, a dim "k/32"
// stays one. Errors: a size beyond 2^62 bits.
[[nodiscard]] Result<Layout> row_major(const Layout& like,
                                       std::int64_t element_bits);

// A kernel that plans may use on this machine.
struct KernelInfo {
  std::string name;
  std::string isa;             // "portable", "sse4", "avx2", "avx512", ...
  std::int64_t element_bytes;  // what it moves at once; 1: runs of bytes
  bool streams;                // has stores that pass by the caches
};

// In the order of preference. The environment variable STRIDEWISE_ISA, set to
// one of the instruction sets above before the first plan is made, leaves out
// those beyond it: for tests, and to see what a smaller machine would do.
[[nodiscard]] std::vector<KernelInfo> available_kernels();

// The meaning of a reorder, element by element through Layout::offset: slow,
// and the oracle of every test. Allocates nothing. Pre: as Plan::make and Plan::run.
void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill = Fill::zero);
// The same with values that change.
void reorder_reference(const Layout& src, const Layout& dst,
                       const std::byte* src_bytes, std::byte* dst_bytes,
                       Fill fill, const Values& values);

// Moves every element, and changes its value by the scale that its index of a dim has, by
// way of boxes that stay in the caches. What dst holds beside elements stays. Errors: those
// of check() and Plan::make; elements that are no whole bytes; scales of another number
// than the dim's extent. O(elements).
[[nodiscard]] Result<void> convert_scaled(const Layout& src,
                                          const std::byte* from,
                                          const Layout& dst, std::byte* to,
                                          const Values& values,
                                          const Scales& scales,
                                          const ParallelFor& parallel_for);

}  // namespace stridewise
