#!/usr/bin/env python3
"""Checks what a reviewer would otherwise have to: one-way includes between
folders, sources that are plain ASCII, and a library that neither prints nor
aborts.

    check_source.py path/to/libstridewise.a
"""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent

# A folder of src/ may include itself and what is named here: folders, or one
# header of a folder.
LAYERS = {
    "base": set(),
    "element": {"base"},
    "layout": {"base", "element"},
    "notation": {"base", "element", "layout"},
    "emit": {"base", "layout", "notation"},
    "dialects": {"base", "element", "layout", "notation"},
    "catalogue": {"base", "element", "layout", "notation", "dialects"},
    "catalogue/vendor": {"base", "layout", "notation", "reorder"},
    "machine": {"base"},
    "engine/kernels": {"engine/kernels/bits", "machine/isa.hpp"},
    "engine/kernels/bits": {"engine/kernels"},
    "engine/planner": {"base", "machine", "engine/kernels"},
    "engine/executor": {"engine/kernels", "engine/planner", "reorder/values"},
    "reorder": {"base", "layout", "notation", "reorder/fields",
                "reorder/planner", "reorder/values", "engine/planner",
                "engine/executor"},
    "reorder/fields": {"base", "layout", "engine/kernels",
                       "engine/kernels/bits", "reorder", "reorder/values"},
    "reorder/values": {"base", "element", "machine/isa.hpp"},
    "reorder/planner": {"base", "layout", "notation", "reorder",
                        "reorder/values", "machine", "engine/kernels",
                        "engine/planner"},
    "advise": {"base", "layout", "notation", "catalogue", "reorder",
               "reorder/planner", "machine"},
    "advise/network": {"base", "element", "layout", "notation", "catalogue",
                       "advise"},
    "infer": {"base", "element", "layout", "notation", "catalogue", "reorder"},
    "inspect": {"base", "element", "layout", "notation", "reorder",
                "reorder/values", "machine/isa.hpp"},
    "io": {"base", "element", "layout", "notation", "catalogue", "reorder",
           "io/containers"},
    "io/containers": {"base", "element", "io"},
    "draw": {"base", "element", "layout", "notation", "reorder",
             "reorder/values"},
    "draw/svg": {"base", "draw"},
    "draw/terminal": {"base", "draw"},
    "draw/page": {"draw", "draw/svg", "notation"},
    "threads": {"base"},
    "backends/opencl": {"base", "element", "layout", "notation", "catalogue",
                        "reorder", "emit"},
}
# Which folder implements a public header; headers of base's level are free.
HEADERS = {"layout": "layout", "nested": "base", "offsets": "layout", "notation": "notation", "element": "element",
           "emit": "emit",
           "catalogue": "catalogue", "dialect": "dialects",
           "reorder": "reorder", "explain": "reorder", "io": "io", "container": "io/containers",
           "advise": "advise", "network": "advise/network", "infer": "infer", "diff": "inspect", "draw": "draw",
           "plan_cache": "reorder",
           "values": "reorder/values", "opencl": "backends/opencl",
           "threads": "threads", "vendor/okk": "catalogue/vendor",
           "vendor/mli": "catalogue/vendor", "vendor/mkldnn": "catalogue/vendor",
           "result": "base", "suggest": "base", "parallel": "base",
           "version": "base"}
VENDORS = re.compile(r"\b(mace|okk|sophon|mli|embarc)\b", re.IGNORECASE)
FORBIDDEN_SYMBOLS = {"abort", "printf", "puts", "fprintf", "exit", "_exit", "fputs", "fwrite",
                     "putchar", "write", "__printf_chk", "__fprintf_chk", "__assert_fail",
                     "pthread_create", "fork"}
FORBIDDEN_PARTS = ("std::cout", "std::cerr", "std::thread::_M_start")


def folder_of(path):
    return path.parent.relative_to(ROOT / "src").as_posix()


def includes(path):
    return re.findall(r'^#include "([^"]+)"', path.read_text(), re.MULTILINE)


def layer_faults():
    for path in sorted((ROOT / "src").rglob("*.?pp")):
        here = folder_of(path)
        for name in includes(path):
            if name.startswith("stridewise/"):
                there = HEADERS.get(name[len("stridewise/"):-len(".hpp")], "?")
            else:
                there = pathlib.PurePosixPath(name).parent.as_posix()
            if there != here and not {there, name} & LAYERS[here]:
                yield f"{path}: {here} must not include {name} ({there})"


def text_faults():
    for top in ("include", "src", "cli", "tests", "fuzz", "examples",
                "benchmarks"):
        for path in sorted((ROOT / top).rglob("*.?pp")):
            text = path.read_text(encoding="utf-8")
            if not text.isascii():
                yield f"{path}: not plain ASCII"
            if "SPDX-License-Identifier: Apache-2.0\n" not in text:
                yield f"{path}: no licence line"
            engine = path.is_relative_to(ROOT / "src") and not folder_of(
                path).startswith("catalogue")
            if engine and VENDORS.search(text):
                yield f"{path}: names a vendor outside the catalogue"


def symbol_faults(library):
    lines = subprocess.run(["nm", "-C", "--undefined-only", library],
                           check=True, capture_output=True,
                           text=True).stdout.splitlines()
    for line in lines:
        symbol = line.split("U ", 1)[-1].strip()
        if (symbol.split("@")[0] in FORBIDDEN_SYMBOLS or
                any(part in symbol for part in FORBIDDEN_PARTS)):
            yield f"{library}: uses {symbol}"


def main():
    faults = [*layer_faults(), *text_faults(), *symbol_faults(sys.argv[1])]
    print("\n".join(faults) or "sources: no faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
