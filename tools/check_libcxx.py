#!/usr/bin/env python3
"""Reads the sources of the library and the command line with clang 19 and libc++, where
iterators of arrays are no pointers and headers include less of each other. Of kernels,
those for any machine: the others are the same templates.

    check_libcxx.py BUILD_DIR     whose compile_commands.json names the sources

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import hashlib
import json
import pathlib
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLANG = ["clang++-19", "-stdlib=libc++", "-std=c++20", "-Wall", "-Wextra",
         "-Werror", "-Wno-unused-command-line-argument"]
# Read once for all sources, because that takes longer than what a source says itself.
COMMON = ["fmt/format.h", "fmt/ranges.h", "tl/expected.hpp"]


def sources(build):
    """(path, flags) of each source, whatever compiler the flags were for."""
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
        wanted = parts[:1] in (("src",), ("cli",)) and not (
            "kernels" in parts and path.name.startswith("x86_"))
        if wanted and path not in seen:
            seen.add(path)
            yield path, shlex.split(entry["command"])


def main():
    with tempfile.TemporaryDirectory(prefix="stridewise-libcxx-") as name:
        folder = pathlib.Path(name)
        (folder / "common.hpp").write_text(
            "".join(f"#include <{header}>\n" for header in COMMON))
        subprocess.run([*CLANG, "-x", "c++-header", "common.hpp", "-o",
                        "common.pch"], cwd=folder, check=True)

        def check(source):
            path, words = source
            # Definitions differ from file to file, and so cannot be options beside a
            # header that was read without them.
            defines = "".join(
                "#define " + word[2:].replace("=", " ", 1) + "\n"
                for word in words if word.startswith("-D"))
            header = folder / hashlib.sha256(defines.encode()).hexdigest()
            header.write_text(defines)
            flags = [w for w in words if w.startswith(("-I", "-m"))]
            # A header that was read for other instruction sets does not do.
            if not any(w.startswith("-m") for w in words):
                flags += ["-include-pch", str(folder / "common.pch")]
            for at, word in enumerate(words):
                if word == "-isystem":
                    flags += [word, words[at + 1]]
            done = subprocess.run(
                [*CLANG, "-fsyntax-only", *flags, "-include", str(header),
                 str(path)], capture_output=True, text=True, check=False)
            return path, done.returncode, done.stderr
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            results = list(pool.map(check, sources(pathlib.Path(sys.argv[1]))))
    for path, code, errors in results:
        if code != 0:
            print(f"{path}:\n{errors}")
    wrong = sum(code != 0 for _, code, _ in results)
    print(f"{len(results)} sources read with libc++, {wrong} failed")
    return 1 if wrong or not results else 0


if __name__ == "__main__":
    sys.exit(main())
