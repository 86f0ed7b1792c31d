#!/usr/bin/python3
"""Peer: NumPy, one assignment between two views.

SPDX-License-Identifier: Apache-2.0
"""

import sys

import peer

try:
    import numpy as np
except ImportError:
    np = None

# By width: the assignment moves bytes, whatever they mean.
DTYPES = {1: "u1", 2: "u2", 4: "u4", 8: "u8", 16: "c16"}


# By name: the assignment converts values, to integers what has been rounded and
# clipped before.
VALUES = {"f32": "f4", "f16": "f2", "s8": "i1", "u8": "u1"}


def version(_threads):
    return np.__version__


def view(array, offset, extents, strides):
    return np.lib.stride_tricks.as_strided(
        array[offset:], extents, [s * array.itemsize for s in strides])


def prepare(problem):
    if problem.threads != 1:
        raise peer.Cannot("NumPy copies with one thread")
    if problem.to_dtype is None:
        src_dtype = dst_dtype = DTYPES[problem.element_bytes]
    elif {problem.dtype, problem.to_dtype} <= VALUES.keys():
        src_dtype, dst_dtype = VALUES[problem.dtype], VALUES[problem.to_dtype]
    else:
        raise peer.Cannot("NumPy has no bf16")
    src = np.frombuffer(problem.src, src_dtype)
    dst = np.frombuffer(problem.dst, dst_dtype)
    pairs = [(view(dst, r["dst_offset"], r["extents"], r["dst_strides"]),
              view(src, r["src_offset"], r["extents"], r["src_strides"]))
             for r in problem.rectangles]

    def run():
        for to, come_from in pairs:
            to[...] = come_from

    def quantise():
        bounds = np.iinfo(dst_dtype)
        for to, come_from in pairs:
            rounded = np.rint(come_from)
            np.clip(rounded, bounds.min, bounds.max, out=rounded)
            to[...] = rounded

    integers = problem.to_dtype is not None and np.dtype(dst_dtype).kind in "iu"
    return quantise if integers else run


if __name__ == "__main__":
    if np is None:
        peer.refuse("NumPy is missing: apt-get install python3-numpy")
    else:
        peer.serve(sys.modules[__name__])
