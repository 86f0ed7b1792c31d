#!/usr/bin/env python3
"""Holds the engine to its size: lines, kinds, fields, machine code, the time that
kernels take to compile, and functions that a reader can follow.

    check_engine.py BUILD_FOLDER [LIZARD]

LIZARD is the program of that name, for what functions are like.
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SRC = ROOT / "src"
# Of what moves plain strides: values, tables and bits are apart, and so is the reference.
MOST_LINES = 8000
APART = ("reorder/reference.cpp", "engine/kernels/bits", "reorder/fields", "reorder/values",
         "reorder/planner/by_fields.cpp", "reorder/planner/by_fields.hpp",
         "reorder/planner/relay.cpp", "reorder/planner/relay.hpp")
MOST_KINDS, MOST_TILE_FIELDS, MOST_HINTS = 6, 12, 8
MOST_CODE_BYTES = 4 << 20
MOST_COMPILE_SECONDS = 300
MOST_COMPLEXITY, MOST_FUNCTION_LINES = 15, 60
ISA_FOLDERS = ("engine/kernels", "reorder/values", "inspect")
TABLES = re.compile(r"^stridewise::\S*(kernels|converters|judge_functions)\(")


def sources(*folders, apart=()):
    for folder in folders:
        for path in sorted((SRC / folder).rglob("*.?pp")):
            if not any(path.is_relative_to(SRC / a) for a in apart):
                yield path


def line_faults():
    paths = sources("engine", "reorder",
                    apart=APART)
    lines = sum(len(p.read_text().splitlines()) for p in paths)
    if lines > MOST_LINES:
        yield f"src/engine and src/reorder: {lines} lines, not {MOST_LINES}"


def members(text, struct):
    """The data members of a struct."""
    body = re.search(rf"struct {struct} {{\n(.*?)\n}};", text, re.S).group(1)
    body = re.sub(r"//[^\n]*", "", body)
    return [m for m in body.split(";") if re.search(r"\w", m)
            and "operator" not in m]


def form_faults():
    text = (SRC / "engine/kernels/tile.hpp").read_text()
    kinds = int(re.search(r"kinds = (\d+);", text).group(1))
    for what, count, most in (
            ("kinds", kinds, MOST_KINDS),
            ("fields of Tile", len(members(text, "Tile")), MOST_TILE_FIELDS),
            ("hints", len(members(text, "Hints")), MOST_HINTS)):
        if count > most:
            yield f"{what}: {count}, not {most}"


def objects(build):
    folder = build / "CMakeFiles/stridewise.dir/src"
    return sorted((folder / "engine/kernels").glob("*.o"))


def code_faults(build):
    out = subprocess.run(["size", *objects(build)], check=True,
                         capture_output=True, text=True).stdout
    code = sum(int(line.split()[0]) for line in out.splitlines()[1:])
    if code > MOST_CODE_BYTES:
        yield f"kernels: {code} bytes of code, not {MOST_CODE_BYTES}"


def compile_faults(build):
    """By what Ninja wrote down, if it built them."""
    seconds = {}
    for line in (build / ".ninja_log").read_text().splitlines():
        fields = line.split("\t")
        if len(fields) < 4 or "src/engine/kernels/" not in fields[3]:
            continue
        seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000
    total = sum(seconds.values())
    if total > MOST_COMPILE_SECONDS:
        yield (f"kernels: {total:.0f} s to compile, not {MOST_COMPILE_SECONDS}")


def symbol_faults(build):
    """Files with flags of an instruction set must not define what others could
    take for their own."""
    for folder in ISA_FOLDERS:
        path = build / "CMakeFiles/stridewise.dir/src" / folder
        for obj in sorted({*path.glob("x86_*.o"), *path.glob("*avx*.o")}):
            out = subprocess.run(["nm", "-C", "--defined-only", "--extern-only",
                                  obj], check=True, capture_output=True,
                                 text=True).stdout
            for line in out.splitlines():
                symbol = line.split(" ", 2)[-1]
                if not TABLES.match(symbol):
                    yield f"{obj.name}: defines {symbol}"


def function_faults(lizard):
    done = subprocess.run(
        [lizard, "-l", "cpp", "-w", "-C", str(MOST_COMPLEXITY), "-L",
         str(MOST_FUNCTION_LINES), SRC / "engine", SRC / "machine",
         SRC / "reorder"], check=False, capture_output=True, text=True)
    yield from done.stdout.splitlines()


def main():
    build = pathlib.Path(sys.argv[1])
    faults = [*line_faults(), *form_faults(), *code_faults(build),
              *compile_faults(build), *symbol_faults(build)]
    if len(sys.argv) > 2:
        faults += function_faults(sys.argv[2])
    print("\n".join(faults) or "engine: no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
