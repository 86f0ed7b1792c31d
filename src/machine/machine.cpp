// SPDX-License-Identifier: Apache-2.0
#include "machine/machine.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "machine/processor.hpp"
#include "machine/text.hpp"

namespace stridewise {
namespace {

// measured: Sapphire Rapids, 2026-11-28, bench.engines on activations, weights and
// transposes of 30 to 400 KB and of 6.5 to 80 MB, with AVX2 alone
constexpr Profile avx2_profile = {
    .transpose_kib_cycles = 70,
    .transpose_byte_factor = 1.4,
    .transpose_pair_factor = 1.2,
    .plane_cycles = 12,
    .strip_cycles = 10,
    .chunk_line_cycles = 4.5,
    .zip_kib_cycles = 60,
    .copy_line_cycles = 2.5,
    .short_run_cycles = 1.6,
    .long_run_cycles = 3,
    .piece_cycles = 1.5,
    .source_cycles = 2.0,
    .piece_begin_cycles = 14,
    .source_begin_cycles = 3,
    .split_load_cycles = 1,
    .split_store_cycles = 5,
    .call_cycles = 45,
    .block_cycles = 110,
    .scattered_byte_cycles = 0.4,
    .staged_advantage = 0.9,
    .near_bytes = 1 << 20,
    .min_streamed_bytes = 12 << 20,
    .call_bytes = 16 << 10,
    .planes_bytes = 32 << 10,
    .program_bytes = 8 << 10,
    .near_stage_bytes = 24 << 10,
    .far_stage_bytes = 16 << 10,
    .far_run_bytes = 256,
    .far_ahead_bytes = 512,
    .far_strips = 4,
    .near_strips = 4,
    .l1_ways = 8,
    .whole_lines = false,
    .task_bytes = 512 << 10,
};

// measured: Sapphire Rapids, 2026-11-28, bench --tune on activations, weights and
// transposes up to 12 MiB
constexpr Profile intel_avx512_profile = [] {
  Profile profile = avx2_profile;
  profile.transpose_kib_cycles = 48;
  profile.transpose_byte_factor = 1.15;
  profile.transpose_pair_factor = 1;
  profile.plane_cycles = 7.2;
  profile.chunk_line_cycles = 2.7;
  profile.zip_kib_cycles = 45;
  profile.copy_line_cycles = 3.2;
  profile.source_cycles = 1.6;
  profile.piece_begin_cycles = 22.4;
  profile.split_load_cycles = 0.6;
  profile.staged_advantage = 0.72;
  profile.planes_bytes = 64 << 10;
  profile.program_bytes = 32 << 10;
  profile.near_strips = 8;
  profile.whole_lines = true;
  profile.l1_ways = 12;
  return profile;
}();

// Not measured: as with AVX2, by vectors of half the size.
constexpr Profile portable_profile = [] {
  Profile profile = avx2_profile;
  profile.transpose_kib_cycles = 110;
  return profile;
}();

// Not measured: Zen 4 halves vectors of 512 bits, which squares of whole lines are made of.
constexpr Profile zen4_profile = [] {
  Profile profile = intel_avx512_profile;
  profile.whole_lines = false;
  return profile;
}();

// What the file that the environment variable STRIDEWISE_PROFILE names says, if it can be
// read and is of a machine that this one can stand for. Else nothing: a misspelt variable
// must not stop a program.
std::optional<Machine> machine_of_file(Machine like) {
  const char* const path = std::getenv("STRIDEWISE_PROFILE");
  if (path == nullptr) return std::nullopt;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(
      std::fopen(path, "rb"), std::fclose);
  if (!file) return std::nullopt;
  std::string text(most_profile_bytes + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (text.empty() || text.size() > most_profile_bytes) return std::nullopt;
  Result<Machine> machine = read_machine(text, std::move(like));
  if (!machine || machine->isa > best_isa() || machine->isa < least_isa()) {
    return std::nullopt;
  }
  return *std::move(machine);
}

// The nearest of those that are known.
Machine found_machine() {
  const Isa isa = best_isa();
  const Profile profile = isa < Isa::avx2         ? portable_profile
                          : isa == Isa::avx2      ? avx2_profile
                          : processor().zen3_or_4 ? zen4_profile
                                                  : intel_avx512_profile;
  const Machine known = {"this machine", isa, profile, {}};
  return machine_of_file(known).value_or(known);
}

}  // namespace

const Machine& this_machine() {
  static const Machine machine = found_machine();
  return machine;
}

std::span<const Machine> known_machines() {
  static const auto machines = std::to_array<Machine>({
      {"portable", Isa::portable, portable_profile, {}},
      {"sse4", Isa::sse4, portable_profile, {}},
      {"zen3", Isa::avx2, avx2_profile, {}},
      {"zen4", Isa::avx512_vbmi, zen4_profile, {}},
      {"sapphire-rapids", Isa::avx512_vbmi, intel_avx512_profile, {}},
  });
  return machines;
}

std::optional<Machine> named_machine(std::string_view name) {
  const auto machines = known_machines();
  const auto machine = std::ranges::find(machines, name, &Machine::name);
  if (machine == machines.end()) return std::nullopt;
  return *machine;
}

}  // namespace stridewise
