#!/usr/bin/env python3
"""Holds the instructions that conversions take to what they took before.

    check_instructions.py PROGRAM COUNTS COMPILER [--update]

PROGRAM is bench.instructions. COUNTS is a text file of conversions with their
expected counts, which --update renews. Callgrind's counts are the same each
time, on a busy machine too; other compilers give others, so that with one that
COUNTS does not name nothing is checked (status 77).
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TOLERANCE = 0.05
# Blocks of memory that were freed before are kept and taken again. Else what
# an allocation costs hangs on all that the program did before it.
ALLOCATOR = "glibc.malloc.tcache_count=1000:glibc.malloc.mxfast=0"
HEADER = """\
# Instructions of one Plan::make and one run, AVX2 at most.
# name; bytes of an element; src -> dst; shape; make; run
# Renewed by: cmake --build --preset dev --target instructions.update
"""


def parsed(text):
    """The compiler, and rows (name, bytes, conversion, shape, counts)."""
    compiler, rows = "none", []
    for line in text.splitlines():
        if line.startswith("compiler "):
            compiler = line[len("compiler "):]
        elif line and not line.startswith("#"):
            name, width, conversion, shape, *counts = [
                field.strip() for field in line.split(";")]
            rows.append((name, width, conversion, shape,
                         [int(count) for count in counts] or [0, 0]))
    return compiler, rows


def printed(compiler, rows):
    columns = list(zip(*[(name, width, conversion, shape, *map(str, counts))
                         for name, width, conversion, shape, counts in rows]))
    sizes = [max(map(len, column)) for column in columns]
    lines = ["; ".join(field.ljust(size) if k < 4 else field.rjust(size)
                       for k, (field, size) in enumerate(zip(row, sizes)))
             for row in zip(*columns)]
    return f"{HEADER}compiler {compiler}\n" + "\n".join(lines) + "\n"


def counted(program, rows):
    """[make, run] of each row."""
    arguments = []
    for _, width, conversion, shape, _ in rows:
        arguments += [width, *conversion.split(" -> "), shape]
    with tempfile.TemporaryDirectory() as folder:
        dumps = pathlib.Path(folder, "out")
        # Callgrind knows AVX2 and nothing beyond it.
        subprocess.run(
            ["valgrind", "--tool=callgrind", "--quiet", "--collect-atstart=no",
             f"--callgrind-out-file={dumps}", program, *arguments],
            check=True, env={**os.environ, "STRIDEWISE_ISA": "avx2",
                             "GLIBC_TUNABLES": ALLOCATOR})
        counts = []
        for k in range(1, 2 * len(rows) + 1):
            text = pathlib.Path(f"{dumps}.{k}").read_text()
            counts.append(int(re.search(r"^(?:totals|summary): (\d+)", text,
                                        re.MULTILINE)[1]))
    return [counts[k:k + 2] for k in range(0, len(counts), 2)]


def main():
    program, path, compiler = sys.argv[1:4]
    path = pathlib.Path(path)
    measured_with, rows = parsed(path.read_text())
    update = sys.argv[4:] == ["--update"]
    if measured_with != compiler and not update:
        print(f"not checked: counts are of {measured_with}, not of {compiler}")
        return 77
    new = counted(program, rows)
    more = fewer = 0
    print(f"{'instructions':34} {'expected':>10} {'counted':>10}")
    for (name, _, _, _, expected), now in zip(rows, new):
        for what, before, after in zip(("make", "run"), expected, now):
            change = after / before - 1 if before else 0
            verdict = ""
            if after > before * (1 + TOLERANCE):
                verdict, more = "  MORE", more + 1
            elif change < -TOLERANCE:
                verdict, fewer = "  fewer", fewer + 1
            print(f"{name + ', ' + what:34} {before:10} {after:10} "
                  f"{change:+7.1%}{verdict}")
    if update:
        path.write_text(printed(compiler, [(*row[:4], counts)
                                           for row, counts in zip(rows, new)]))
        return 0
    if fewer:
        print(f"{fewer} fell by more than {TOLERANCE:.0%}: renew {path}")
    if more:
        print(f"{more} rose by more than {TOLERANCE:.0%}. Where that is the "
              f"price of something better, renew {path}")
    return 1 if more else 0


if __name__ == "__main__":
    sys.exit(main())
