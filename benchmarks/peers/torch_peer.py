#!/usr/bin/env python3
"""Peer: PyTorch on the CPU, copy_ between two views into a tensor that exists.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import peer

try:
    import torch
except ImportError:
    torch = None


def version(threads):
    torch.set_num_threads(threads)
    return torch.__version__


def prepare(problem):
    if problem.to_dtype is not None:
        raise peer.Cannot("this peer copies bytes; it converts no values")
    # By width: the copy moves bytes, whatever they mean.
    dtypes = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64,
              16: torch.complex128}
    dtype = dtypes[problem.element_bytes]
    src = torch.frombuffer(problem.src, dtype=dtype)
    dst = torch.frombuffer(problem.dst, dtype=dtype)
    pairs = [(torch.as_strided(dst, r["extents"], r["dst_strides"],
                               r["dst_offset"]),
              torch.as_strided(src, r["extents"], r["src_strides"],
                               r["src_offset"]))
             for r in problem.rectangles]

    def run():
        with torch.inference_mode():
            for to, come_from in pairs:
                to.copy_(come_from)

    return run


if __name__ == "__main__":
    if torch is None:
        peer.refuse("PyTorch is missing: tools/setup.sh bench torch")
    else:
        peer.serve(sys.modules[__name__])
