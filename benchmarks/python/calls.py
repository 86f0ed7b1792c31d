#!/usr/bin/env python3
"""What a call costs, in microseconds: of conversions that are so small that nothing else
does, and of tables of offsets, by element.

SPDX-License-Identifier: Apache-2.0
"""

import timeit

import numpy as np
import stridewise as sw


def microseconds(run, number):
    run()
    return min(timeit.repeat(run, number=number, repeat=7)) / number * 1e6


def small():
    x = np.arange(64, dtype="f4").reshape(2, 4, 2, 4)
    out = np.empty((2, 2, 4, 4), "f4")
    plan = sw.plan("nchw", "nhwc", x.shape)
    a, b = plan.src, plan.dst
    return {
        "plan.run(x, out)": lambda: plan.run(x, out),
        "plan.run(x)": lambda: plan.run(x),
        'convert(x, "nchw", "nhwc")': lambda: sw.convert(x, "nchw", "nhwc"),
        "convert(x, a, b)": lambda: sw.convert(x, a, b),
        "convert(x, a, b, out=out)": lambda: sw.convert(x, a, b, out=out),
        "np.copyto(out, x.transpose(0, 2, 3, 1))":
            lambda: np.copyto(out, x.transpose(0, 2, 3, 1)),
        "L(1, 2, 1, 3)": lambda: a(1, 2, 1, 3),
        "L(n=1, c=2, h=1, w=3)": lambda: a(n=1, c=2, h=1, w=3),
        "L(1, np.arange(4), 0, 0)": lambda: a(1, np.arange(4), 0, 0),
        "L.who(byte=64)": lambda: a.who(byte=64),
    }


def by_element():
    """Nanoseconds an element: the table of a layout, and the conversion that makes it."""
    for text in ("nchw", "nhwc", "nChw16c"):
        L = sw.layout(text, n=8, c=64, h=56, w=56)
        extents = dict(zip(L.dims, L.shape))
        here, rows = sw.layout(text, extents, "s64"), sw.layout("n c h w", extents, "s64")
        places = np.arange(L.size)
        assert np.array_equal(sw.convert(places, here, rows), L.offsets())
        yield (f"{text} offsets()", 1e3 * microseconds(L.offsets, 5) / L.size,
               1e3 * microseconds(lambda: sw.convert(places, here, rows), 5) / L.size)


def main():
    for name, run in small().items():
        print(f"{name:42} {microseconds(run, 20000):6.2f} us")
    for name, table, conversion in by_element():
        print(f"{name:42} {table:6.2f} ns an element; as a conversion {conversion:.2f}")
    x = np.zeros((1, 64, 64, 64), "f4")
    plan, out = sw.plan("nchw", "nhwc", x.shape), np.empty((1, 64, 64, 64), "f4")
    whole = microseconds(lambda: plan.run(x, out), 500)
    call = microseconds(small()["plan.run(x, out)"], 20000)
    print(f"{'plan.run of 1 MiB':42} {whole:6.2f} us, of which a call is "
          f"{100 * call / whole:.1f} %")


if __name__ == "__main__":
    main()
