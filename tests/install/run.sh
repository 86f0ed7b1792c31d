#!/bin/sh
# Installs a build to a fresh prefix and builds a project that finds it there: with its
# threads; without oneTBB on the machine; and with a CMake that knows no file sets.
#   run.sh BUILD_DIR CONSUMER_DIR OLD_CMAKE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >"$work/log"

# consumer NAME CMAKE OPTION...
consumer() {
  name=$1
  cmake=$2
  shift 2
  "$cmake" -S "$source" -B "$work/$name" -G Ninja \
    -DCMAKE_PREFIX_PATH="$work/prefix" "$@" >"$work/log" 2>&1 &&
    "$cmake" --build "$work/$name" >>"$work/log" 2>&1 ||
    { cat "$work/log"; exit 1; }
  "$work/$name/consumer"
}
source=$2
consumer threads cmake
consumer plain cmake -DCONSUMER_THREADS=OFF -DCMAKE_DISABLE_FIND_PACKAGE_TBB=ON
"$3" --version | head -1
consumer old "$3" -DCONSUMER_THREADS=OFF
"$work/prefix/bin/stridewise" --version
"$work/prefix/bin/stridewise" bench --problems small --only C67 --rounds 1
