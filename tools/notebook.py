#!/usr/bin/env python3
"""Runs the cells of a notebook and compares what they show with what it holds.

    notebook.py NOTEBOOK             exits with 1 where a cell fails or shows something else
    notebook.py NOTEBOOK --update    writes what they show into it

Needs nbclient and ipykernel, and the package stridewise in the environment that runs it.
SPDX-License-Identifier: Apache-2.0
"""
import os
import pathlib
import sys

import nbclient
import nbformat


def shown(cell):
    """The outputs of a cell, without what differs from run to run. Of a cell with the tag
    "machine", which names the kernels of a processor, the kinds of its outputs alone."""
    if "machine" in cell.metadata.get("tags", []):
        return [sorted(output.get("data", output)) for output in cell.outputs]
    return [{key: value for key, value in output.items()
             if key not in ("execution_count", "metadata")}
            for output in cell.get("outputs", [])]


def main():
    path = pathlib.Path(sys.argv[1])
    # Pictures link to the page that ./run explorer makes.
    os.environ["STRIDEWISE_EXPLORER"] = "../build/explorer/explorer.html"
    update = sys.argv[2:] == ["--update"]
    held = nbformat.read(path, as_version=4)
    made = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(made, timeout=120, kernel_name="python3",
                            record_timing=False).execute()
    if update:
        made.metadata = {"kernelspec": held.metadata.get("kernelspec", {})}
        nbformat.write(made, path)
        print(f"{path}: {len(made.cells)} cells, {path.stat().st_size} bytes")
        return 0
    wrong = [k for k, (a, b) in enumerate(zip(held.cells, made.cells))
             if shown(a) != shown(b)]
    for k in wrong:
        print(f"{path}: cell {k} shows something else now:\n{made.cells[k].source}\n"
              f"{str(shown(made.cells[k]))[:2000]}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
