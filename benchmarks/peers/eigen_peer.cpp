// Peer: Eigen's assignments of matrices. It speaks the protocol of docs/bench.md.
// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <complex>
#include <cstdint>
#include <string>

#include "matrices.hpp"

namespace {

template <class T>
void move(const peer::Matrix& m, const char* src, char* dst) {
  using Pitch = Eigen::OuterStride<>;
  using Rows =
      Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Eigen::Map<const Rows, 0, Pitch> from(
      reinterpret_cast<const T*>(src), m.rows, m.columns, Pitch(m.src_pitch));
  auto* const to = reinterpret_cast<T*>(dst);
  if (m.transposed) {
    Eigen::Map<Rows, 0, Pitch>(to, m.columns, m.rows, Pitch(m.dst_pitch)) =
        from.transpose();
  } else {
    Eigen::Map<Rows, 0, Pitch>(to, m.rows, m.columns, Pitch(m.dst_pitch)) =
        from;
  }
}

struct EigenMatrices {
  static bool accepts(const peer::Matrix& /*any*/) { return true; }
  static void run(const peer::Matrix& m, const char* src, char* dst) {
    switch (m.unit_bytes) {
      case 1:
        return move<std::uint8_t>(m, src, dst);
      case 2:
        return move<std::uint16_t>(m, src, dst);
      case 4:
        return move<float>(m, src, dst);
      case 8:
        return move<double>(m, src, dst);
      default:
        return move<std::complex<double>>(m, src, dst);
    }
  }
};

}  // namespace

int main() {
  const std::string version = std::to_string(EIGEN_WORLD_VERSION) + "." +
                              std::to_string(EIGEN_MAJOR_VERSION) + "." +
                              std::to_string(EIGEN_MINOR_VERSION);
  return peer::Server<peer::MatrixSolver<EigenMatrices>>(version).serve();
}
