"""The collection of layouts that people use: offsets and sizes, each constructed without
the notation."""

import hashlib
import json
import pathlib
import re

import pytest
import stridewise as sw

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WORLD = json.loads((ROOT / "tests" / "data" / "world.json").read_text())


@pytest.mark.parametrize("entry", WORLD, ids=lambda entry: entry["name"])
def test_offsets(entry):
    for part in entry["parts"]:
        name = part["part"]
        typed = name and re.search(rf"\b{name}(\[[^]]*\])?:", entry["expression"])
        L = sw.layout(entry["expression"], entry["shape"],
                      None if typed else f"u{part['element_bits']}",
                      tables=entry["tables"], part=name)
        offsets = L.offsets("bit")
        assert list(offsets.shape) == part["extents"]
        assert (hashlib.sha256(offsets.tobytes()).hexdigest()
                == part["sha256_of_int64_offsets"])
