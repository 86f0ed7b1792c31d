#!/bin/sh
# Unpacks an archive and checks that the program in it runs from there, has kernels of more
# than one instruction set, and finds its files.
#   check_package.sh ARCHIVE
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tar -xzf "$1" -C "$work"
root=$(echo "$work"/*)
program=$root/bin/stridewise
"$program" --version
sets=$("$program" kernels | grep -oE '^copy[.a-z0-9_]*' | sort -u | wc -l)
[ "$(uname -m)" != x86_64 ] || [ "$sets" -ge 4 ] ||
  { echo "check_package.sh: kernels of $sets instruction sets alone" >&2; exit 1; }
"$program" at nChw16c n=1,c=16,h=4,w=3 --shape n=2,c=17,h=5,w=4 | grep -q 1264
"$program" bench --problems small --only C67 --rounds 1 >/dev/null
[ -e "$root/include/stridewise/stridewise.hpp" ]
[ -e "$root"/lib/cmake/stridewise/stridewise-config.cmake ]
