#!/bin/sh
# Packs a build as ./package does, and checks the archive.
#   package.sh BUILD_DIR
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cpack --config "$1/CPackConfig.cmake" -G TGZ -B "$work" >"$work/log" ||
  { cat "$work/log"; exit 1; }
"$(dirname "$0")/check_package.sh" "$work"/stridewise-*.tar.gz
