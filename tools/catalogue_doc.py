#!/usr/bin/env python3
"""Writes docs/catalogue.md from the catalogue's own data.

    stridewise list --json | tools/catalogue_doc.py > docs/catalogue.md

SPDX-License-Identifier: Apache-2.0
"""

import json
import sys

# The word before the dot of a name -> a heading. A vendor that is not here is
# listed under that word.
VENDORS = {
    "onednn": "oneDNN (MKL-DNN)",
    "mace": "MACE",
    "mli": "embARC MLI",
    "okk": "Sophon OKK",
}

HEAD = """\
# Catalogue

<!-- Generated: stridewise list --json | tools/catalogue_doc.py -->

The layouts that have a name. Each is data: dims in logical order, parameters,
an expression of the [notation](notation.md), preconditions and a source.
`stridewise list WORD` prints the same.

How to read an entry:

- **Parameters** are written after the name, by name or in order:
  `okk.aligned(npus=4,start=2)`. "Required" ones have no default; a default of
  `natural` is the natural stride.
- **Expression**: `{...}` holds arithmetic over the parameters; `{:name}` is the
  stride `:name`, or nothing when that stride is natural; `{base}` stands for
  what the choice of `base` means.
- **Needs** are the vendor's preconditions. A layout that breaks one is an error.
- **Notes** say where a vendor's document errs, and what holds instead.
"""


def vendor_of(entry):
    return entry["name"].split(".")[0]


def anchor(heading):
    kept = [c for c in heading.lower() if c.isalnum() or c in " -_"]
    return "".join(kept).replace(" ", "-")


def cell(text):
    """Text within a table: a bar would end the cell, a newline the table."""
    return text.replace("|", "\\|").replace("\n", " ")


def prose(text):
    """Text within a paragraph: characters that Markdown would read."""
    for mark in "\\*<":
        text = text.replace(mark, "\\" + mark)
    return text


def sentence(text):
    return prose(text[0].upper() + text[1:]) + "."


def default_of(param):
    default = "required" if param["default"] is None else f"`{param['default']}`"
    others = [c for c in param.get("choices", []) if c != param["default"]]
    if others:
        default += " (or " + ", ".join(f"`{c}`" for c in others) + ")"
    return default


def unique(texts):
    return list(dict.fromkeys(texts))


def entry_markdown(entry):
    lines = [f"### `{entry['name']}`", "", sentence(entry["summary"]), ""]
    dims = ", ".join(f"`{d}`" for d in entry["dims"]) or "those of the tag"
    lines += [f"- Dims: {dims}", f"- Expression: `{entry['expression']}`"]
    lines += [f"- Needs: {prose(check)}" for check in unique(entry["checks"])]
    lines += [f"- Source: {prose(entry['source'])}"]
    lines += [f"- Note: {prose(note)}" for note in entry["errata"]]
    lines += [""]
    if entry["params"]:
        lines += ["| parameter | default | meaning |", "| --- | --- | --- |"]
        for param in entry["params"]:
            lines.append(f"| `{param['name']}` | {cell(default_of(param))} | "
                         f"{cell(prose(param['doc']))} |")
        lines += [""]
    return lines


def catalogue_markdown(entries):
    vendors = unique(vendor_of(entry) for entry in entries)
    lines = [HEAD]
    lines += ["| vendor | layouts |", "| --- | --- |"]
    for vendor in vendors:
        heading = VENDORS.get(vendor, vendor)
        names = ", ".join(f"`{entry['name']}`" for entry in entries
                          if vendor_of(entry) == vendor)
        lines.append(f"| [{heading}](#{anchor(heading)}) | {names} |")
    lines += [""]
    for vendor in vendors:
        lines += [f"## {VENDORS.get(vendor, vendor)}", ""]
        for entry in entries:
            if vendor_of(entry) == vendor:
                lines += entry_markdown(entry)
    return "\n".join(lines).rstrip("\n") + "\n"


def main():
    sys.stdin.reconfigure(encoding="utf-8")
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    try:
        entries = json.load(sys.stdin)["entries"]
    except (ValueError, KeyError) as error:
        print(f"catalogue_doc: not the JSON of 'stridewise list --json': "
              f"{error}", file=sys.stderr)
        return 2
    sys.stdout.write(catalogue_markdown(entries))
    return 0


if __name__ == "__main__":
    sys.exit(main())
