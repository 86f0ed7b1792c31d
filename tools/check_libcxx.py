#!/usr/bin/env python3
"""Reads the sources of the library and the command line with clang 19 and libc++, where
iterators of arrays are no pointers and headers include less of each other. Of kernels,
those for any machine: the others are the same templates.

    check_libcxx.py BUILD_DIR     whose compile_commands.json names the sources

SPDX-License-Identifier: Apache-2.0
"""
import concurrent.futures
import json
import pathlib
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ("-I", "-D", "-std=", "-m")  # of the flags, whose others are g++'s


def sources(build):
    seen = set()
    for entry in json.loads((build / "compile_commands.json").read_text()):
        path = pathlib.Path(entry["file"])
        parts = path.relative_to(ROOT).parts if path.is_relative_to(ROOT) else ()
        wanted = parts[:1] in (("src",), ("cli",)) and not (
            "kernels" in parts and path.name.startswith("x86_"))
        if wanted and path not in seen:
            seen.add(path)
            yield path, shlex.split(entry["command"]), entry["directory"]


def check(source):
    path, words, folder = source
    flags = [word for word in words if word.startswith(KEPT)]
    for at, word in enumerate(words):
        if word == "-isystem":
            flags += [word, words[at + 1]]
    done = subprocess.run(
        ["clang++-19", "-stdlib=libc++", "-fsyntax-only", "-Wall", "-Wextra",
         "-Werror", "-Wno-unused-command-line-argument", *flags, str(path)],
        cwd=folder, capture_output=True, text=True, check=False)
    return path, done.returncode, done.stderr


def main():
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
