#!/bin/sh
# Installs a build to a fresh prefix and builds a project that finds it there.
#   run.sh BUILD_DIR CONSUMER_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --install "$1" --prefix "$work/prefix" >"$work/log"
cmake -S "$2" -B "$work/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$work/prefix" >>"$work/log" || { cat "$work/log"; exit 1; }
cmake --build "$work/build" >>"$work/log" || { cat "$work/log"; exit 1; }
"$work/build/consumer"
"$work/prefix/bin/stridewise" --version
"$work/prefix/bin/stridewise" bench --problems small --only C67 --rounds 1
