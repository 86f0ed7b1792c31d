"""Ten conversions of weights and caches of language models.

(name, dtype, src, dst, extents) for those that are views of digits; Special ones, whose
layouts are more, are typed by hand for NumPy. SPDX-License-Identifier: Apache-2.0
"""

import numpy as np
import stridewise as sw

PLAIN = [
    ("QKV by heads to Q, K, V", "f16", "h t d k", "t h d k",
     {"h": 8, "t": 3, "d": 64, "k": 2048}),
    ("KV cache NHD to HND", "f16", "b s h d", "b h s d",
     {"b": 1, "s": 4096, "h": 8, "d": 128}),
    ("KV cache HND to NHD", "f16", "b h s d", "b s h d",
     {"b": 1, "s": 4096, "h": 8, "d": 128}),
    ("RoPE halves to pairs", "f16", "h t e k", "h e t k",
     {"h": 32, "t": 2, "e": 64, "k": 1024}),
    ("weight to its transpose", "f16", "o i", "i o", {"o": 2048, "i": 2048}),
    ("gate and up interleaved", "f16", "t f k", "f t k", {"t": 2, "f": 1024, "k": 2048}),
    ("NVFP4 scales to rows", "u8", "m/128 k/4 m%32 m%128/32 k%4", "m k",
     {"m": 8192, "k": 1024}),
]

_RANDOM = np.random.default_rng(5)


def _pages():
    table = _RANDOM.permutation(256)
    a = sw.layout("page=(b s/16)<T> | h d/8 s%16 d%8", dtype="f16", tables={"T": table},
                  b=4, s=1024, h=8, d=128)
    b = sw.layout("b s h d", dict(zip(a.dims, a.shape)), "f16")

    def numpy(x):
        pages = x.reshape(256, 8, 16, 16, 8)[table].reshape(4, 64, 8, 16, 16, 8)
        return np.ascontiguousarray(pages.transpose(0, 1, 4, 2, 3, 5))

    return "paged KV cache to rows", a, b, numpy


def _q4_0():
    a = sw.layout("gguf.q4_0", n=2048, k=4096).part("q")
    b = sw.layout("n k", n=2048, k=4096, dtype="u8")

    def numpy(x):
        codes = x.reshape(-1, 18)[:, 2:]
        return np.concatenate([codes & 15, codes >> 4], axis=1)

    return "q4_0 codes to bytes", a, b, numpy


def _awq():
    a = sw.layout("k n/8 n%2 n%8/2", k=2048, n=4096, dtype="u4")
    b = sw.layout("k n", k=2048, n=4096, dtype="u8")
    shifts = np.array([0, 4, 1, 5, 2, 6, 3, 7], "i4") * 4

    def numpy(x):
        words = x.view("<i4").reshape(2048, -1, 1)
        return (words >> shifts & 15).astype("u1").reshape(2048, -1)

    return "AWQ codes to bytes", a, b, numpy


def special():
    """(name, a, b, NumPy's function of the bytes of a)"""
    return [_pages(), _q4_0(), _awq()]
