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
/usr/bin/python3 "$source/tests/install/check_wheel.py" "$work"/wheel/*.whl

/usr/bin/python3 -m venv "$work/empty"
bin=$work/empty/bin
"$bin/pip" install -q --no-index \
  --find-links "$source/build/python/packages" "$work"/wheel/*.whl
cd "$work"
"$bin/python" -c '
import stridewise as sw
assert sw.layout("nChw16c", (2, 17, 5, 4))(1, 16, 4, 3) == 1264'
for program in "$bin/stridewise" "$bin/python -m stridewise"; do
  $program at nChw16c --shape 2x17x5x4 n=1,c=16,h=4,w=3 | grep -q 1264
done
# The problems of `bench` are found beside the program.
"$bin/stridewise" bench --problems small --rounds 1 >/dev/null

"$bin/pip" install -q --no-index --find-links "$source/build/python/packages" \
  -r "$source/python/tests/requirements.txt"
"$bin/python" -m auditwheel show "$work"/wheel/*.whl | grep "manylinux_2_"
"$bin/python" -m mypy --strict --config-file "$source/pyproject.toml" -p stridewise
# The examples of the docs are right in their types, too.
"$bin/python" -c '
import doctest, sys
print(doctest.script_from_examples(open(sys.argv[1]).read()))' \
  "$source/docs/python.md" >examples.py
"$bin/python" -m mypy --strict --config-file "$source/pyproject.toml" examples.py
"$bin/python" -m doctest "$source/docs/python.md" "$source/README.md"
"$bin/python" "$source/tools/notebook.py" "$source/docs/notebook.ipynb"
"$bin/python" -m pytest -q --import-mode=importlib -p no:cacheprovider \
  -c "$source/pyproject.toml" --rootdir "$work" --doctest-modules \
  "$source/python/tests" "$work"/empty/lib/python3*/site-packages/stridewise
