"""Conversions as users of other packages type them, made from the views of both layouts.

Each peer has `take`, which makes its own array of NumPy's, and `make`, which returns the
conversion as a function of that array. SPDX-License-Identifier: Apache-2.0
"""

import importlib

import numpy as np


def steps(x, a, b, pad, transpose):
    """Digits of a -> logical tensor -> digits of b, as far as these differ."""
    if a.blocked or a.order != list(range(len(a.order))):
        x = transpose(x, a.order)
    if a.blocked:
        x = x.reshape(a.padded)
    if a.padded != a.extents:
        x = x[tuple(slice(0, extent) for extent in a.extents)]
    if b.padded != b.extents:
        x = pad(x, [(0, p - e) for p, e in zip(b.padded, b.extents)])
    if b.blocked:
        x = x.reshape([e for extents in b.split for e in extents])
    return transpose(x, b.back)


class NumPy:
    name = "NumPy"

    def __init__(self, threads):
        pass

    def take(self, x):
        return x

    def make(self, a, b, dims):
        return lambda x: np.ascontiguousarray(steps(x, a, b, np.pad, np.transpose))

    def done(self, y):
        return np.asarray(y)


class Einops(NumPy):
    name = "einops"

    def __init__(self, threads):
        self.rearrange = importlib.import_module("einops").rearrange

    def make(self, a, b, dims):
        letters = [f"x{k}" for k in range(len(dims))]
        src, groups, src_sizes = a.pattern(letters)
        dst, b_groups, dst_sizes = b.pattern(letters)
        into = f"{src} -> {groups}"
        out = f"{b_groups} -> {dst}"
        inner = {k: v for k, v in src_sizes.items() if k not in dst_sizes or a.blocked}

        def run(x):
            x = self.rearrange(x, into, **inner)
            if a.padded != a.extents:
                x = x[tuple(slice(0, extent) for extent in a.extents)]
            if b.padded != b.extents:
                x = np.pad(x, [(0, p - e) for p, e in zip(b.padded, b.extents)])
            return np.ascontiguousarray(self.rearrange(x, out, **dst_sizes))

        return run


class Torch:
    name = "torch"

    def __init__(self, threads):
        self.torch = importlib.import_module("torch")
        self.torch.set_num_threads(threads)

    def take(self, x):
        if x.dtype.name == "bfloat16":
            return self.torch.from_numpy(x.view("i2")).view(self.torch.bfloat16)
        return self.torch.from_numpy(x)

    def make(self, a, b, dims):
        pad_ = self.torch.nn.functional.pad

        def pad(x, widths):
            return pad_(x, [w for pair in reversed(widths) for w in pair])

        return lambda x: steps(x, a, b, pad, lambda y, order: y.permute(order)).contiguous()

    def done(self, y):
        return (y.view(self.torch.int16) if y.dtype == self.torch.bfloat16 else y).numpy()


class Jax:
    name = "JAX"

    def __init__(self, threads):
        self.jax = importlib.import_module("jax")
        self.jax.config.update("jax_enable_x64", True)
        self.jnp = importlib.import_module("jax.numpy")

    def take(self, x):
        return self.jnp.asarray(x)

    def make(self, a, b, dims):
        run = self.jax.jit(lambda x: steps(x, a, b, self.jnp.pad, self.jnp.transpose))
        return lambda x: run(x).block_until_ready()

    def done(self, y):
        return np.asarray(y)


def installed(threads):
    """Those that can be imported, and the names of those that cannot."""
    found, missing = [], []
    for peer in (NumPy, Einops, Torch, Jax):
        try:
            found.append(peer(threads))
        except ImportError:
            missing.append(peer.name)
    return found, missing
