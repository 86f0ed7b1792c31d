#!/usr/bin/env python3
"""Conversions in Python: stridewise.convert beside what users of NumPy, einops, torch and
JAX type. Each is verified before it is timed; all are timed in turns.

    bench.py [--threads N] [--rounds N] [--only TEXT] [--markdown FILE]

The problems are those of ../problems/medium.txt and llm.py. Packages that are not installed
are left out, which the result says. SPDX-License-Identifier: Apache-2.0
"""

import argparse
import pathlib
import platform
import re
import statistics
import sys
import time

import numpy as np
import stridewise as sw

import llm
import peers
from views import NoViews, Views

PROBLEMS = pathlib.Path(__file__).parent.parent / "problems" / "medium.txt"
RANDOM = np.random.default_rng(1)


def problems():
    """(name, a, b, views or None)"""
    for line in PROBLEMS.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        name, dtype, layouts, shape = (field.strip() for field in line.split(";"))
        src, dst = layouts.split(" -> ")
        # Tags of letters a, b, c, d have their logical order.
        extents = dict(zip("abcd", (int(x) for x in shape.split("x"))))
        yield name, *_problem(src, dst, extents, dtype)
    for name, dtype, src, dst, extents in llm.PLAIN:
        yield name, *_problem(src, dst, extents, dtype)


def _problem(src, dst, extents, dtype):
    a, b = sw.layout(src, extents, dtype), sw.layout(dst, extents, dtype)
    try:
        return a, b, Views(a, a.dims), Views(b, a.dims)
    except NoViews:
        return a, b, None, None


def random_memory(a):
    """An array of the layout's memory; random bits, zero where no element lies."""
    raw = sw.convert(RANDOM.integers(0, 256, a.size * a.itembits // 8, dtype=np.uint8),
                     sw.layout(" ".join(a.dims), dict(zip(a.dims, a.shape)), a.dtype), a)
    return raw


def same(x, y):
    return bytes(memoryview(np.ascontiguousarray(x).reshape(-1).view(np.uint8))) == bytes(
        memoryview(np.ascontiguousarray(y).reshape(-1).view(np.uint8)))


def competitors(name, a, b, va, vb, others, threads):
    """(name, function without arguments, its result as NumPy's) of each that can."""
    x = random_memory(a)
    ours = sw.convert(x, a, b)
    made = [("stridewise", lambda: sw.convert(x, a, b, threads=threads))]
    for peer in others if va is not None else []:
        run, held = peer.make(va, vb, a.dims), peer.take(x)
        if not same(peer.done(run(held)), ours):
            sys.exit(f"{name}: {peer.name} and stridewise differ")
        made.append((peer.name, lambda run=run, held=held: run(held)))
    return x, made


def special(name, a, b, numpy, threads):
    x = RANDOM.integers(0, 256, a.nbytes, dtype=np.uint8)
    held = x.view("f2") if a.dtype == "f16" else x.reshape(2048, -1) if a.dtype == "u4" else x
    ours = sw.convert(x, a, b)
    if not same(numpy(held), ours):
        sys.exit(f"{name}: NumPy and stridewise differ")
    return x, [("stridewise", lambda: sw.convert(x, a, b, threads=threads)),
               ("NumPy", lambda: numpy(held))]


def timed(x, made, rounds):
    """Median seconds by name; "copy" is a copy of the source, into new memory as theirs."""
    all_ = [("copy", x.copy), *made]
    seconds = {name: [] for name, _ in all_}
    for round_ in range(rounds + 1):
        for name, run in all_:
            start = time.perf_counter()
            result = run()
            taken = time.perf_counter() - start
            del result
            if round_:
                seconds[name].append(taken)
    return {name: statistics.median(s) for name, s in seconds.items()}


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    return cpu[1] if cpu else platform.processor()


def mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def main():
    options = argparse.ArgumentParser(description=__doc__,
                                      formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--threads", type=int, default=1)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--only", default="")
    options.add_argument("--markdown", type=pathlib.Path, help="also write a table")
    told = options.parse_args()
    others, missing = peers.installed(told.threads)
    columns = [peer.name for peer in others]
    rows, ratios = [], {name: [] for name in columns}
    todo = [(n, lambda n=n, a=a, b=b, va=va, vb=vb: competitors(
        n, a, b, va, vb, others, told.threads)) for n, a, b, va, vb in problems()]
    todo += [(n, lambda n=n, a=a, b=b, f=f: special(n, a, b, f, told.threads))
             for n, a, b, f in llm.special()]
    for name, make in todo:
        if told.only not in name:
            continue
        x, made = make()
        seconds = timed(x, made, told.rounds)
        ours = seconds["stridewise"]
        row = [name, f"{x.nbytes / 2**20:.1f}", f"{1e3 * ours:.2f}",
               f"{seconds['copy'] / ours:.2f}"]
        for peer in columns:
            row.append(f"{seconds[peer] / ours:.1f}" if peer in seconds else "-")
            if peer in seconds:
                ratios[peer].append(seconds[peer] / ours)
        rows.append(row)
        print("  ".join([f"{row[0]:28}", *(f"{cell:>8}" for cell in row[1:])]), flush=True)
    head = ["conversion", "MiB", "ms", "of copy", *(f"{p} takes" for p in columns)]
    last = ["geometric mean", "", "", mean_of(rows, 3),
            *(f"{mean(ratios[p]):.1f}" for p in columns)]
    print("  ".join([f"{last[0]:28}", *(f"{cell:>8}" for cell in last[1:])]))
    if missing:
        print(f"not installed: {', '.join(missing)}")
    if told.markdown:
        lines = [f"{machine()}, threads: {told.threads}, {time.strftime('%Y-%m-%d')}, "
                 f"stridewise {sw.__version__}", "",
                 "| " + " | ".join(head) + " |",
                 "| --- |" + " ---: |" * (len(head) - 1),
                 *("| " + " | ".join(row) + " |" for row in [*rows, last])]
        told.markdown.write_text("\n".join(lines) + "\n")


def mean_of(rows, column):
    return f"{mean([float(row[column]) for row in rows]):.2f}"


if __name__ == "__main__":
    main()
