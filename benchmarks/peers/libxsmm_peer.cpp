// Peer: libxsmm's transposes and copies of matrices. It speaks the protocol of
// docs/bench.md.
// SPDX-License-Identifier: Apache-2.0
#include <libxsmm_source.h>
#include <libxsmm_version.h>

#include "matrices.hpp"

namespace {

// What libxsmm calls columns follow each other, as the columns here do.
struct Libxsmm {
  static bool accepts(const peer::Matrix& /*any*/) { return true; }
  static void run(const peer::Matrix& m, const char* src, char* dst) {
    const auto unit = static_cast<unsigned>(m.unit_bytes);
    if (m.transposed) {
      libxsmm_otrans(dst, src, unit, m.columns, m.rows, m.src_pitch,
                     m.dst_pitch);
    } else {
      libxsmm_matcopy(dst, src, unit, m.columns, m.rows, m.src_pitch,
                      m.dst_pitch);
    }
  }
};

}  // namespace

int main() {
  libxsmm_init();
  return peer::Server<peer::MatrixSolver<Libxsmm>>(LIBXSMM_CONFIG_VERSION)
      .serve();
}
