#!/usr/bin/env python3
"""Links from the documents' examples and pictures to the explorer, each with its state.

    tools/explorer_links.py             renews the links of README.md, docs/ and the gallery
    tools/explorer_links.py --check     exit code 1 where one is missing or old

An example is a ```sh block: its first command that the page can show, of `draw`, `show`,
`at`, `who`, `emit` and `plan`. The link stands below it, and below its output.

SPDX-License-Identifier: Apache-2.0
"""

import difflib
import os
import pathlib
import re
import shlex
import sys
import urllib.parse

from check_docs import examples_of

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "build" / "explorer" / "explorer.html"
WORDS = "[In the explorer]("
GALLERY = ROOT / "docs" / "gallery" / "README.md"

# Options of the command line, and what the page calls them; None: nothing that it shows.
OPTIONS = {"--shape": "shape", "-s": "shape", "--dtype": "dtype", "-t": "dtype", "--to": "to",
           "--label": "label", "-l": "label", "--color": "colour", "--colour": "colour",
           "--view": "view", "--logical": "logical", "--part": "part", "-p": "part",
           "--grid": "grid", "--max-cells": "cells", "--max-columns": "columns",
           "--walk": "walk", "--title": None, "--out": None, "-o": None, "--lang": None,
           "--name": None, "--machine": None, "--top": None}
SEVERAL = {"--table": ("tables", ";"), "--mark": ("marks", ",")}
FLAGS = {"--with-logical": ("logical", "yes"), "--json": None, "--explain": None,
         "--dynamic": None}
# As explorer/page/state.js orders them.
ORDER = ["layout", "shape", "dtype", "to", "part", "tables", "label", "colour", "view",
         "logical", "grid", "cells", "columns", "walk", "marks", "tab", "find", "map"]
TABS = {"emit": "code", "plan": "plan"}
USUAL = {"label": "index", "view": "auto", "tab": "about"}


def address(state):
    """The same as addressOf() of explorer/page/state.js."""
    def written(word):
        quoted = urllib.parse.quote(word, safe=",/:=;@$")
        return quoted.replace("~", "%7E").replace("%20", "+")
    words = [f"{name}={written(state.get(name, ''))}" for name in ORDER
             if name in ("layout", "shape") or state.get(name, "") not in ("", USUAL.get(name))]
    return "#" + "&".join(words)


def state_of(words):
    """What the page shows of a command's words after ./run; None: it cannot."""
    command, *words = words
    if command not in ("draw", "show", "at", "who", "emit", "plan"):
        return None
    state = {"tab": TABS.get(command, "")}
    plain = []
    while words:
        word = words.pop(0)
        if not word.startswith("-") or word == "-":
            plain.append(word)
        elif word in FLAGS:
            if FLAGS[word]:
                state[FLAGS[word][0]] = FLAGS[word][1]
        elif not words:
            return None
        elif word in SEVERAL:
            name, between = SEVERAL[word]
            state[name] = between.join(filter(None, [state.get(name), words.pop(0)]))
        elif word in OPTIONS:
            value = words.pop(0)
            if OPTIONS[word]:
                state[OPTIONS[word]] = value
        elif command == "who" and word in ("--byte", "-b", "--element", "-e"):
            unit = "byte" if word in ("--byte", "-b") else "offset"
            state["find"] = f"{unit} {words.pop(0)}"
        else:
            return None
    if not plain or ".npy" in state.get("tables", ""):
        return None
    state["layout"], *rest = plain
    if command == "plan" and rest:
        state["to"] = rest[0]
    if command == "at" and rest:
        state["find"] = rest[0]
    return state


def commands(script):
    """The words of each command of a block that calls ./run, as far as a shell is not needed."""
    for line in script.replace("\\\n", " ").split("\n"):
        if not line.startswith("./run ") or "$" in line or "`" in line:
            continue
        try:
            lexer = shlex.shlex(line, posix=True, punctuation_chars="|><;&")
            lexer.whitespace_split = True
            words = list(lexer)
        except ValueError:
            continue
        end = next((k for k, word in enumerate(words) if set(word) <= set("|><;&")), len(words))
        yield words[1:end]


def link(path, state):
    return f"{WORDS}{os.path.relpath(PAGE, path.parent)}{address(state)})"


def without_links(lines):
    """The lines without links, and the blank ones before them."""
    kept = []
    for line in lines:
        if line.startswith(WORDS):
            if kept and not kept[-1]:
                kept.pop()
            continue
        kept.append(line)
    return kept


def with_links(path, text):
    lines = without_links(text.split("\n"))
    places = []
    for block, output in examples_of(lines):
        script = "\n".join(lines[block.begin:block.end])
        states = [state for words in commands(script) if words
                  for state in [state_of(words)] if state]
        if states:
            places.append(((output or block).end + 1, link(path, states[0])))
    for at, line in reversed(places):
        lines[at:at] = ["", line]
    return "\n".join(lines)


def gallery_with_links(text):
    """Each picture leads to the page that draws it again."""
    lines = [re.sub(r"^\[(!\[.*\]\([^)]*\))\]\(.*\)$", r"\1", line)
             for line in text.split("\n")]
    picture = None
    for k, line in enumerate(lines):
        if line.startswith("!["):
            picture = k
        elif line.startswith("$ ./run draw") and picture is not None:
            state = state_of(shlex.split(line)[2:])
            target = os.path.relpath(PAGE, GALLERY.parent) + address(state)
            lines[picture] = f"[{lines[picture]}]({target})"
            picture = None
    return "\n".join(lines)


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    old = False
    for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        new = gallery_with_links(text) if path == GALLERY else with_links(path, text)
        if new == text:
            continue
        old = True
        if arguments:
            print("\n".join(difflib.unified_diff(
                text.split("\n"), new.split("\n"), str(path), "with its links", lineterm="")))
        else:
            path.write_text(new, encoding="utf-8")
            print(f"{path.relative_to(ROOT)}: renewed")
    return 1 if arguments and old else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
