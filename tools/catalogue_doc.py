#!/usr/bin/env python3
"""Writes docs/catalogue.md from the catalogue's own data.

    stridewise list --json | tools/catalogue_doc.py > docs/catalogue.md

SPDX-License-Identifier: Apache-2.0
"""

import json
import sys

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
- **Expression**: `${...}` holds arithmetic over the parameters, the extents of the
  dims, `element_bits` and `element_bytes`; `${:name}` is the stride `:name`, or
  nothing when that stride is natural; `${base}` stands for what the choice of `base`
  means. A default may be such arithmetic, too: `256/element_bits` is 16 for f16 and
  64 for u4; `element_bytes` is rounded up.
- **Good** says what lies side by side, and so is read at once; what is rounded up, and so
  wastes room where it is small; over how many banks it is dealt. With the defaults.
- **Needs** are the vendor's preconditions. A layout that breaks one is an error.
- **Notes** say where a vendor's document errs, and what holds instead.
- **Also** are other words for it: `stridewise show NC4HW4` finds an entry without
  its vendor where one alone is called so.

## A catalogue of your own

The layouts of your chip or library need no compiler: write them in a file, and give
it with `--catalogue FILE` (as often as there are files), or in
`STRIDEWISE_CATALOGUE=FILE:FILE`. They are in `list`, in every command that takes a
LAYOUT, and among the names that `infer` finds.

```sh
cat > acme.toml <<'EOF'
vendor = "acme"                     # names begin with "acme."
title = "Acme NPU"
source = "Acme programmer's guide"  # of layouts that name none

[params.block]                      # may be named by any layout of the file
default = "256/element_bits"        # none: it must be given
doc = "channels side by side"
min = 1

[[layouts]]
name = "tile"
aliases = ["AT"]
summary = "feature map, channels in blocks of 32 bytes"
words = ["feature map", "blocked"]  # what `list` finds it by
dims = "n c h w"                    # logical order
expression = "n c/${block} h w c%${block}"
params = ["block"]
checks = [{ that = "c <= 4096", message = "up to 4096 channels" }]
EOF
./run --catalogue acme.toml at acme.tile --shape 2x17x5x4 -t f16 n=1,c=16,h=4,w=3
./run --catalogue acme.toml at AT --shape 2x17x5x4 -t s8 n=1,c=16,h=4,w=3
```

```text
byte 2528  element 1264  offset=1264  (n=1,c=16,h=4,w=3 of n=2,c=17,h=5,w=4)
byte 1264  element 1264  offset=1264  (n=1,c=16,h=4,w=3 of n=2,c=17,h=5,w=4)
```

| key | of | meaning |
| --- | --- | --- |
| `vendor` | the file | what names begin with |
| `title` | the file | the vendor's full name; that of `vendor` where it is missing |
| `source` | the file, a layout | where the vendor says so |
| `[params.NAME]` | the file | a parameter that layouts list by this name |
| `[checks.NAME]` | the file | a precondition that layouts list by this name |
| `[[layouts]]` | the file | a layout; as many as there are |
| `name`, `aliases`, `summary`, `words` | a layout | what it is called, and what it is found by |
| `dims` | a layout | the dims in logical order, apart by spaces: those of the expression |
| `expression` | a layout | the notation, with `${...}` |
| `params`, `checks` | a layout | names of the file's, or tables of its own: `{ name = "block", default = 8, doc = "..." }` |
| `errata` | a layout | where documents err |
| `default`, `doc`, `min`, `excludes`, `choices` | a parameter | `excludes` is a parameter not to be given beside it; `choices = { aligned = ":^128B", compact = "" }` are words and what each stands for in the expression |
| `tries` | a parameter, a layout | what [advise](advise.md) tries: values, a range; of a layout, texts that stand for it |
| `[chip]`, `[chip.axes]` | the file | what the chip has room for: see [advise](advise.md) |
| `that`, `message`, `when` | a check | `A == B`, `A <= B` or `A < B`; what the vendor requires; `param=choice`, if the check is for that choice alone |

A mistake in a file is an error that names the file and the line.
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
    if entry["good_for"]:
        lines += [f"- Good: {entry['good_for']}"]
    if entry["aliases"]:
        also = ", ".join(f"`{alias}`" for alias in entry["aliases"])
        lines += [f"- Also: {also}"]
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
    headings = {vendor_of(entry): entry["vendor"] for entry in entries}
    lines = [HEAD, "## The layouts", ""]
    lines += ["| vendor | layouts |", "| --- | --- |"]
    for vendor in vendors:
        heading = headings[vendor]
        names = ", ".join(f"`{entry['name']}`" for entry in entries
                          if vendor_of(entry) == vendor)
        lines.append(f"| [{heading}](#{anchor(heading)}) | {names} |")
    lines += [""]
    for vendor in vendors:
        lines += [f"## {headings[vendor]}", ""]
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
