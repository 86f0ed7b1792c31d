// SPDX-License-Identifier: Apache-2.0
#include "io/containers/inflate.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>

namespace stridewise {

struct Inflater::State {
  z_stream stream{};
  bool ready = false;
  bool ended = false;               // as a stream does
  bool failed = false;              // it is no stream, or ends too soon
  std::span<const std::byte> rest;  // that the stream has not been given
};

Inflater::Inflater() : state_(std::make_unique<State>()) {}

Inflater::~Inflater() {
  if (state_->ready) ::inflateEnd(&state_->stream);
}

bool Inflater::start(std::span<const std::byte> packed) {
  // Negative: a stream without a header of its own.
  constexpr int window_bits = -MAX_WBITS;
  State& state = *state_;
  if (!state.ready) {
    state.ready = ::inflateInit2(&state.stream, window_bits) == Z_OK;
  } else {
    state.ready = ::inflateReset(&state.stream) == Z_OK;
  }
  state.stream.avail_in = 0;
  state.ended = false;
  state.failed = !state.ready;
  state.rest = packed;
  return state.ready;
}

std::size_t Inflater::read(std::span<std::byte> out) {
  constexpr std::size_t most = std::numeric_limits<uInt>::max();
  State& state = *state_;
  z_stream& stream = state.stream;
  std::size_t done = 0;
  while (done < out.size() && !state.failed && !state.ended) {
    if (stream.avail_in == 0) {
      const auto given = state.rest.first(std::min(most, state.rest.size()));
      // zlib reads from it, but has no const for that.
      stream.next_in =
          const_cast<Bytef*>(reinterpret_cast<const Bytef*>(given.data()));
      stream.avail_in = static_cast<uInt>(given.size());
      state.rest = state.rest.subspan(given.size());
    }
    const std::size_t wanted = std::min(most, out.size() - done);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + done);
    stream.avail_out = static_cast<uInt>(wanted);
    const uInt had = stream.avail_in;
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    const std::size_t taken = had - stream.avail_in;
    const std::size_t made = wanted - stream.avail_out;
    done += made;
    state.ended = code == Z_STREAM_END;
    // Without input it can make nothing more.
    state.failed = !state.ended && (code != Z_OK || made + taken == 0);
  }
  return done;
}

bool Inflater::finished() {
  // The end of a stream is seen only by asking for more.
  std::byte more{};
  if (read({&more, 1}) != 0) return false;
  const State& state = *state_;
  return state.ended && state.stream.avail_in == 0 && state.rest.empty();
}

std::uint32_t crc32_of(std::span<const std::byte> bytes, std::uint32_t before) {
  return static_cast<std::uint32_t>(::crc32_z(
      before, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
}

}  // namespace stridewise
