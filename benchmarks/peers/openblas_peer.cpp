// Peer: OpenBLAS's transposes and copies of matrices, times one. It speaks the
// protocol of docs/bench.md.
// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <string>

#include "matrices.hpp"

namespace {

// By the width of units, whatever they mean.
struct OpenBlas {
  static bool accepts(const peer::Matrix& m) {
    return m.unit_bytes == 4 || m.unit_bytes == 8 || m.unit_bytes == 16;
  }
  static void run(const peer::Matrix& m, const char* src, char* dst) {
    const auto with = m.transposed ? CblasTrans : CblasNoTrans;
    constexpr auto order = CblasRowMajor;
    const double one[] = {1, 0};
    switch (m.unit_bytes) {
      case 4:
        cblas_somatcopy(order, with, m.rows, m.columns, 1,
                        reinterpret_cast<const float*>(src), m.src_pitch,
                        reinterpret_cast<float*>(dst), m.dst_pitch);
        break;
      case 8:
        cblas_domatcopy(order, with, m.rows, m.columns, 1,
                        reinterpret_cast<const double*>(src), m.src_pitch,
                        reinterpret_cast<double*>(dst), m.dst_pitch);
        break;
      default:
        cblas_zomatcopy(order, with, m.rows, m.columns, one,
                        reinterpret_cast<const double*>(src), m.src_pitch,
                        reinterpret_cast<double*>(dst), m.dst_pitch);
    }
  }
};

// "OpenBLAS 0.3.21 NO_LAPACKE ..."
std::string version() {
  const std::string config = openblas_get_config();
  const std::size_t begin = config.find(' ') + 1;
  return config.substr(begin, config.find(' ', begin) - begin);
}

}  // namespace

int main() {
  return peer::Server<peer::MatrixSolver<OpenBlas>>(version()).serve();
}
