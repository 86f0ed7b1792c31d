#!/usr/bin/env python3
"""Checks that a wheel has the module, its types and the program, and that these need no
library but those that every machine has.

    check_wheel.py WHEEL

SPDX-License-Identifier: Apache-2.0
"""
import re
import subprocess
import sys
import tempfile
import zipfile

# manylinux counts zlib among these; Debian's static one cannot be a part of a module.
EVERYWHERE = {"libstdc++", "libm", "libgcc_s", "libc", "libpthread", "libdl", "librt",
              "libz", "ld-linux-x86-64", "ld-linux-aarch64"}


def needed(path):
    told = subprocess.run(["readelf", "-d", path], capture_output=True, text=True,
                          check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*?)\.so", told))


def main():
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(sys.argv[1]) as wheel:
        names = wheel.namelist()
        wheel.extractall(folder)
        wanted = {"stridewise/py.typed", "stridewise/_core.pyi"}
        if not wanted <= set(names):
            sys.exit(f"{sys.argv[1]}: without {wanted - set(names)}")
        if not any(name.endswith("licenses/libfmt-dev.txt") for name in names):
            sys.exit(f"{sys.argv[1]}: without the licences of what it has compiled in")
        built = [n for n in names if n.endswith((".so", "scripts/stridewise"))]
        if len(built) != 2:
            sys.exit(f"{sys.argv[1]}: a module and a program, not {built}")
        for name in built:
            if more := needed(f"{folder}/{name}") - EVERYWHERE:
                sys.exit(f"{name}: needs {', '.join(sorted(more))}")


if __name__ == "__main__":
    main()
