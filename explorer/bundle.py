#!/usr/bin/env python3
"""Makes one page of the explorer's modules, styles and core.

  bundle.py CORE.wasm OUT.html

Modules become one script, each after those that it imports, without the lines that import
and export: so no two of them may have the same name at their top. The core is packed.

SPDX-License-Identifier: Apache-2.0
"""
import base64
import gzip
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).resolve().parent
PAGE = FOLDER / "page"
STYLES = [FOLDER.parent / "src/draw/page/page.css", PAGE / "explorer.css"]

IMPORT = re.compile(r"^import \{[^}]*\} from '([^']+)';\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)
NAME = re.compile(r"^(?:export )?(?:async )?(?:const|let|class|function) (\w+|[\[{][^\]}]*[\]}])",
                  re.MULTILINE)


def modules(path, found):
    """The texts of a module and all that it imports, those first."""
    path = path.resolve()
    if path in found:
        return
    found[path] = None  # one that is being read
    text = path.read_text()
    for other in IMPORT.findall(text):
        modules(path.parent / other, found)
    del found[path]
    found[path] = text


def script(main):
    found = {}
    modules(main, found)
    owners = {}
    for path, text in found.items():
        for name in re.findall(r"\w+", " ".join(NAME.findall(text))):
            if name in owners:
                sys.exit(f"{name} is in {owners[name].name} and in {path.name}")
            owners[name] = path
    return "".join(EXPORT.sub("", IMPORT.sub("", text)) for text in found.values())


def main():
    core, out = map(pathlib.Path, sys.argv[1:])
    parts = {
        "style": "".join(style.read_text() for style in STYLES),
        "script": script(PAGE / "main.js"),
        "wasm": base64.b64encode(gzip.compress(core.read_bytes(), 9, mtime=0)).decode(),
    }
    for name, text in parts.items():
        if re.search(r"</(script|style)", text):
            sys.exit(f"{name} ends its own element")
    page = (PAGE / "explorer.html").read_text()
    page = re.sub(r"\{\{(\w+)\}\}", lambda match: parts[match[1]], page)
    out.write_text(page)


if __name__ == "__main__":
    main()
