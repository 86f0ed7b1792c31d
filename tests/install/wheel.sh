#!/bin/sh
# Makes the package's wheel from a built library, installs it into an empty environment,
# and runs its tests there: what they import is the wheel, not the tree.
#   wheel.sh SOURCE BUILD
set -eu
source=$1
build=$2
tools=$source/build/python/tools
work=$build/python
rm -rf "$work/wheel" "$work/empty"
mkdir -p "$work/wheel"
"$tools/bin/pip" wheel -q --no-build-isolation --no-deps -w "$work/wheel" \
  --config-settings "cmake.define.STRIDEWISE_BUILD=$build" "$source"

# No library but those that every machine has.
"$tools/bin/python" - "$work"/wheel/*.whl <<'END'
import re, subprocess, sys, tempfile, zipfile
with tempfile.TemporaryDirectory() as folder:
    with zipfile.ZipFile(sys.argv[1]) as wheel:
        names = [n for n in wheel.namelist() if n.endswith(".so")]
        wheel.extractall(folder)
        assert len(names) == 1, names
        needed = subprocess.run(["readelf", "-d", f"{folder}/{names[0]}"],
                                capture_output=True, text=True, check=True).stdout
        wanted = {"stridewise/py.typed", "stridewise/_core.pyi"}
        assert wanted <= set(wheel.namelist()), wheel.namelist()
libraries = set(re.findall(r"\(NEEDED\).*\[(.*?)\.so", needed))
more = libraries - {"libstdc++", "libm", "libgcc_s", "libc", "ld-linux-x86-64"}
assert not more, more
END

/usr/bin/python3 -m venv "$work/empty"
"$work/empty/bin/pip" install -q --no-index \
  --find-links "$source/build/python/packages" "$work"/wheel/*.whl
cd "$work"
"$work/empty/bin/python" -c '
import stridewise as sw
assert sw.layout("nChw16c", (2, 17, 5, 4))(1, 16, 4, 3) == 1264'
"$work/empty/bin/pip" install -q --no-index \
  --find-links "$source/build/python/packages" pytest hypothesis ml_dtypes mypy
"$work/empty/bin/python" -m mypy --strict --config-file "$source/pyproject.toml" \
  -p stridewise
"$work/empty/bin/python" -m doctest "$source/docs/python.md" \
  "$source/README.md"
"$work/empty/bin/python" -m pytest -q --import-mode=importlib \
  -p no:cacheprovider -c "$source/pyproject.toml" --rootdir "$work" \
  "$source/python/tests"
