// SPDX-License-Identifier: Apache-2.0
#include "reorder/fields/programs.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "engine/kernels/bits/bit_program.hpp"
#include "reorder/fields/blocks.hpp"
#include "reorder/fields/codes.hpp"
#include "reorder/fields/regroup.hpp"
#include "reorder/fields/zeros.hpp"

namespace stridewise::detail {
namespace {

using engine::BitPart;
using Parts = std::vector<BitPart>;

// `src_bits` from bits of a byte of src to bits of one of dst.
BitPart part_of(std::int64_t src, std::int64_t dst, std::int64_t bits) {
  const auto mask = ((1U << bits) - 1) << (dst & 7);
  return {dst >> 3, src >> 3, (dst & 7) - (src & 7),
          static_cast<std::uint8_t>(mask)};
}

// The parts of a field, cut at ends of bytes.
void add_parts(Field field, Parts& parts) {
  while (field.bits > 0) {
    const std::int64_t bits =
        std::min({field.bits, 8 - (field.src & 7), 8 - (field.dst & 7)});
    parts.push_back(part_of(field.src, field.dst, bits));
    field.src += bits;
    field.dst += bits;
    field.bits -= bits;
  }
}

// Parts of an element each: nothing where one lies across two bytes.
bool add_element(const Field& field, const Codes& codes, Parts& parts) {
  if ((field.src & 7) + codes.src_bits > 8) return false;
  if ((field.dst & 7) + codes.dst_bits > 8) return false;
  parts.push_back(
      part_of(field.src, field.dst, std::min(codes.src_bits, codes.dst_bits)));
  return true;
}

// Whether each byte of dst that is written is written whole.
bool whole_bytes(const Parts& parts) {
  unsigned bits = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    bits |= parts[k].mask;
    if (k + 1 < parts.size() && parts[k + 1].dst == parts[k].dst) continue;
    if (bits != 0xff) return false;
    bits = 0;
  }
  return true;
}

// Where the last loop leaves a line of src with each step and another one goes on in it,
// that one is brought within: after so many steps, of which the caches keep the lines.
void share_lines(std::vector<PlaceLoop>& loops) {
  constexpr std::int64_t most_steps = 64;
  const auto near = [](const PlaceLoop& loop) {
    return loop.places.empty() &&
           std::abs(loop.step.src) < 8 * engine::line_bytes;
  };
  if (loops.empty() || !loops.back().places.empty() || near(loops.back())) {
    return;
  }
  const auto beside = std::ranges::find_if(loops, near);
  if (beside == loops.end()) return;
  PlaceLoop last = loops.back();
  std::int64_t steps = std::min(most_steps, last.count);
  while (last.count % steps != 0) --steps;
  if (steps == 1) return;
  loops.back() = {.count = last.count / steps,
                  .step = {last.step.src * steps, last.step.dst * steps}};
  last.count = steps;
  std::rotate(beside, beside + 1, loops.end());
  loops.push_back(std::move(last));
  std::erase_if(loops, [](const PlaceLoop& loop) { return loop.size() == 1; });
}

// The last loop is walked by the kernel, if it has equal steps: upwards in src, which it
// looks for the end of.
void set_plane(FieldNest& nest) {
  share_lines(nest.outer);
  if (nest.outer.empty() || !nest.outer.back().places.empty()) return;
  PlaceLoop loop = std::move(nest.outer.back());
  nest.outer.pop_back();
  if (loop.step.src < 0) {
    nest.base.src += (loop.count - 1) * loop.step.src;
    nest.base.dst += (loop.count - 1) * loop.step.dst;
    loop.step = {-loop.step.src, -loop.step.dst};
  }
  nest.plane = {loop.count, loop.step.src / 8, loop.step.dst / 8};
}

std::optional<Parts> parts_of(const FieldNest& nest,
                              const std::optional<Codes>& codes) {
  Parts parts;
  for (const Field& field : nest.inner) {
    if (!codes) {
      add_parts(field, parts);
    } else if (!add_element(field, *codes, parts)) {
      return std::nullopt;
    }
  }
  std::ranges::stable_sort(parts, {}, &BitPart::dst);
  return parts;
}

// As many sources as a program may have that is to be faster: each costs about as much as
// two parts that are moved alone, or one run of whole bytes.
std::int64_t most_sources(const FieldNest& nest, const Parts& parts) {
  std::int64_t bits = 0;
  for (const Field& field : nest.inner)
    bits |= field.src | field.dst | field.bits;
  if (bits % 8 == 0) return std::ssize(nest.inner);
  return ceil_div(std::ssize(parts), 2);
}

// Whether the bytes of dst are whole lines, where it begins with one.
bool whole_lines(const Parts& parts) {
  std::int64_t begin = parts.front().dst;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::int64_t next = parts[k].dst + 1;
    if (k + 1 < parts.size() && parts[k + 1].dst <= next) continue;
    if (begin % engine::line_bytes != 0 || next % engine::line_bytes != 0) {
      return false;
    }
    if (k + 1 < parts.size()) begin = parts[k + 1].dst;
  }
  return true;
}

std::int64_t bytes_of(const Parts& parts) {
  std::int64_t bytes = 0;
  for (std::size_t k = 0; k < parts.size(); ++k) {
    if (k == 0 || parts[k].dst != parts[k - 1].dst) ++bytes;
  }
  return bytes;
}

// `between`: whether zeros between blocks are this nest's to write.
bool add_program(FieldNest& nest, const std::optional<Codes>& codes,
                 const ProgramOptions& options, bool between) {
  make_base_whole(nest);
  auto parts = parts_of(nest, codes);
  if (!parts) return false;
  const std::int64_t most = most_sources(nest, *parts);
  const bool fills = options.fills && (!codes || codes->after.of(0) == 0) &&
                     fill_zeros(nest, options.dst_bits, between, *parts);
  const bool widens = codes && codes->dst_bits == 8;
  if (!fills && !widens && !whole_bytes(*parts)) return false;
  const Codes maps = codes.value_or(Codes{});
  nest.streams = options.streams && whole_lines(*parts);
  nest.program = engine::make_bit_program(
      {*parts, maps.before, maps.after, nest.streams},
      engine::program_vector(options.kernel->isa), most);
  if (nest.program.empty()) return false;
  nest.kind = FieldNest::Kind::program;
  nest.kernel = options.kernel;
  nest.field_bytes = bytes_of(*parts);
  set_plane(nest);
  nest.inner.clear();
  return true;
}

}  // namespace

std::vector<FieldNest> with_programs(const FieldNest& nest,
                                     const std::optional<Values>& values,
                                     const ProgramOptions& options) {
  if (options.kernel == nullptr) return {};
  std::optional<Codes> codes;
  if (values) {
    codes = codes_of(*values);
    if (!codes) return {};
  }
  std::vector<FieldNest> nests;
  for (Block& block : in_blocks(nest)) {
    ProgramOptions here = options;
    here.fills = options.fills && block.apart;
    if (!add_program(block.nest, codes, here, nests.empty())) return {};
    nests.push_back(std::move(block.nest));
  }
  return nests;
}

bool writes_all(const std::vector<FieldNest>& nests, std::int64_t bytes) {
  return nests.size() == 1 && nests.front().kind == FieldNest::Kind::program &&
         nests.front().field_bytes * nests.front().repeats() == bytes;
}

}  // namespace stridewise::detail
