// The pass that shares work, and what its parts say to each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "reorder/plan_data.hpp"
#include "reorder/planner/problem.hpp"

namespace stridewise::detail {

// Cut tiles and count tasks; append to data.nests and data.tasks.
void schedule(PlanData& data, Lowered lowered, bool streams);
void schedule_steps(PlanData& data, const Piece& piece, Steps steps,
                    bool streams);
void schedule_sieve(PlanData& data, const Layout& layout);

// What a task moves, about; more where a call does.
inline constexpr std::int64_t task_bytes = 512 << 10;

// Where each combination of the loops begins on one side, the last fastest.
[[nodiscard]] std::vector<std::int64_t> offsets_of(
    std::span<const PlanLoop> loops, std::int64_t PlanLoop::*stride);

// Lays out the stage of a nest whose values change before or after its kernel, and
// cuts its parts to what fits there.
void lay_out_stage(const PlanData& data, ScheduledNest& scheduled);

// Marks rows of src and columns of dst that share too few sets of the L1 cache, and
// chooses squares for transposes whose stores do not pass by the caches (`streams`).
void mark_crowded(ScheduledNest& scheduled, const PlanNest& nest,
                  const PlanData& data, bool streams);

// Says whether crowded rows of what streams are read as they are, and marks those that fill
// a set, or whose columns crowd, if so; and whether strips stream column by column.
// Where they do not, kernels take two strips of crowded rows at once, of which caches
// keep more lines than of four.
void mark_crowded_stream(ScheduledNest& scheduled, const PlanNest& nest,
                         const PlanData& data);

// Whether the columns of what streams follow each other in dst and are put together by
// blocks (dense_columns.hpp). That copies a line of each row that crowds at once: of more
// than some such rows in memory, other ways take 0.75 of the time.
[[nodiscard]] bool streams_by_blocks(const ScheduledNest& scheduled,
                                     const PlanNest& nest,
                                     const PlanData& data);

// How wide the squares of a transpose are, and in what order they are taken. Of 64
// lines of columns, `of_columns` share a set of the L1 cache.
void choose_squares(ScheduledNest& scheduled, const PlanNest& nest,
                    const PlanData& data, std::int64_t of_columns);

// Rows and columns of one call.
[[nodiscard]] std::array<std::int64_t, 2> part_of(const Kernel& kernel,
                                                  const PlanNest& nest,
                                                  bool by_whole_lines);

// The same of columns that follow each other and are put together by blocks: all rows.
[[nodiscard]] std::array<std::int64_t, 2> part_by_blocks(const Kernel& kernel,
                                                         const PlanNest& nest);

// The same of many columns, each in other pages than those beside it; nothing of others
// and of longer elements. All calls move `bytes` to dst.
[[nodiscard]] std::optional<std::array<std::int64_t, 2>> part_by_pages(
    const Kernel& kernel, const PlanNest& nest, std::int64_t bytes);

// The same where a call may move only so much as the stage holds.
[[nodiscard]] std::array<std::int64_t, 2> staged_part_of(const Kernel& kernel,
                                                         const PlanNest& nest,
                                                         Conversion conversion);

}  // namespace stridewise::detail
