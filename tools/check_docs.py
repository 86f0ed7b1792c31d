#!/usr/bin/env python3
"""Runs every ```sh block of README.md and docs/**/*.md and checks its output.

    tools/check_docs.py PROGRAM            PROGRAM: the binary, or ./run
    tools/check_docs.py --update PROGRAM   renews the outputs that differ

Each block runs by `sh -e` in a fresh, empty folder, in the locale C.UTF-8 and
80 columns; `./run` in it is PROGRAM. A document with the line
`<!-- one folder for all blocks -->` is one session: its blocks share a folder.
A block must end with exit status 0. Where a ```text block follows directly, it
must equal what the block writes on stdout and stderr; `...` in one of its lines
stands for any text of that line (a speed, a duration). Blocks of other
languages (```console, ```cpp) are not run.

SPDX-License-Identifier: Apache-2.0
"""

import difflib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
SECONDS = 300  # that one block may take

SESSION = "<!-- one folder for all blocks -->"
FENCE = re.compile(r"```(\w*)\s*$")


class Block:
    """A fenced block: lines[begin:end] of its document, without the fences."""

    def __init__(self, language, begin, end):
        self.language = language
        self.begin = begin
        self.end = end


def blocks_of(lines):
    blocks = []
    opened = None
    for number, line in enumerate(lines):
        fence = FENCE.match(line)
        if not fence:
            continue
        if opened is None:
            opened = Block(fence.group(1), number + 1, None)
        else:
            opened.end = number
            blocks.append(opened)
            opened = None
    if opened is not None:
        raise ValueError(f"line {opened.begin}: a fence that is not closed")
    return blocks


def examples_of(lines):
    """Pairs of a sh block and the text block directly after it, or None."""
    blocks = blocks_of(lines)
    for block, following in zip(blocks, blocks[1:] + [None]):
        if block.language != "sh":
            continue
        between = lines[block.end + 1:following.begin - 1] if following else []
        directly = following and not "".join(between).strip()
        is_output = directly and following.language == "text"
        yield block, following if is_output else None


def install_run(folder, program):
    """Makes ./run in `folder` call the program as the repository's ./run does."""
    run = pathlib.Path(folder) / "run"
    quoted = "'" + str(program).replace("'", "'\\''") + "'"
    run.write_text(
        "#!/bin/sh\n"
        f"[ $# -eq 0 ] && exec {quoted} demo\n"
        f"[ \"$1\" = --path ] && exec echo {quoted}\n"
        f"exec {quoted} \"$@\"\n", encoding="utf-8")
    run.chmod(0o755)


def fresh_folder():
    return tempfile.TemporaryDirectory(prefix="stridewise-docs-")


def execute(script, program, folder):
    """Returns (exit status, output) of a block."""
    install_run(folder, program)
    done = subprocess.run(
        ["sh", "-e", "-c", script], cwd=folder, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        encoding="utf-8", errors="replace", timeout=SECONDS, check=False,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "80"})
    return done.returncode, done.stdout


def line_matches(expected, actual):
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, actual) is not None


def same(expected, actual):
    return len(expected) == len(actual) and all(
        map(line_matches, expected, actual))


def difference(expected, actual):
    # Lines that match by a wildcard are shown as equal.
    shown = list(expected)
    if len(expected) == len(actual):
        shown = [a if line_matches(e, a) else e
                 for e, a in zip(expected, actual)]
    return "\n".join(difflib.unified_diff(
        shown, actual, "in the document", "printed", lineterm=""))


def output_lines(output):
    return [line.rstrip() for line in output.rstrip("\n").split("\n")]


def check_document(path, program, update):
    """Returns the numbers of blocks that ran and that failed."""
    with fresh_folder() as session:
        return check_blocks(path, program, update, session)


def check_blocks(path, program, update, session):
    lines = path.read_text(encoding="utf-8").split("\n")
    name = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    ran = failed = 0
    renewed = []
    for block, expected_block in examples_of(lines):
        ran += 1
        script = "\n".join(lines[block.begin:block.end]) + "\n"
        where = f"{name}:{block.begin + 1}"
        try:
            with fresh_folder() as folder:
                status, output = execute(
                    script, program, session if SESSION in lines else folder)
        except subprocess.TimeoutExpired:
            print(f"{where}: still running after {SECONDS} s\n{script}")
            failed += 1
            continue
        actual = output_lines(output)
        if status != 0:
            print(f"{where}: exit status {status}\n{script}{output}")
            failed += 1
            continue
        if expected_block is None:
            continue
        expected = lines[expected_block.begin:expected_block.end]
        if same(expected, actual):
            continue
        if update:
            renewed.append((expected_block, actual))
            continue
        print(f"{where}: the output differs\n{script}"
              f"{difference(expected, actual)}\n")
        failed += 1
    for block, actual in reversed(renewed):
        lines[block.begin:block.end] = actual
        print(f"{name}:{block.begin}: renewed")
    if renewed:
        path.write_text("\n".join(lines), encoding="utf-8")
    return ran, failed


def main(arguments):
    update = "--update" in arguments
    programs = [a for a in arguments if a != "--update"]
    if len(programs) != 1 or programs[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    program = pathlib.Path(programs[0]).absolute()
    if not os.access(program, os.X_OK):
        print(f"check_docs: {program}: not a program", file=sys.stderr)
        return 2
    documents = [ROOT / "README.md"] + sorted((ROOT / "docs").glob("**/*.md"))
    total = wrong = 0
    for document in documents:
        ran, failed = check_document(document, program, update)
        total += ran
        wrong += failed
    print(f"{total} blocks of {len(documents)} documents ran, {wrong} failed")
    return 1 if wrong or total == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
