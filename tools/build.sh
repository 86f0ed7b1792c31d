#!/bin/sh
# Builds a target and says how far it is: on a terminal in one line, else every 20 seconds.
#   build.sh FOLDER TARGET [PRESET]
# The preset, `release` where none is named, configures the folder, unless it has tests:
# ./test did that then.
# The log is FOLDER.log. FOLDER/built is as old as the sources that were built.
set -eu
here=$(cd "$(dirname "$0")/.." && pwd)
build=$1
target=$2
preset=${3:-release}
log=$build.log
mkdir -p "$build"
began=$(mktemp "$build/began.XXXXXX")
trap 'rm -f "$began"' EXIT

fail() {
  [ ! -t 2 ] || printf '\r\033[K' >&2
  cat "$log" >&2
  echo "the build failed; its log is $log" >&2
  exit 2
}

# What is left, from the share of files that are done: "about 3 minutes left".
left() { # done, all, seconds
  seconds=$(($3 * ($2 - $1) / $1))
  if [ "$seconds" -ge 90 ]; then
    echo "about $(((seconds + 30) / 60)) minutes left"
  else
    echo "about $(((seconds / 10 + 1) * 10)) seconds left"
  fi
}

# Reads ninja's lines, "@DONE ALL SECONDS.MILLISECONDS what".
show() {
  next=0
  while IFS= read -r line; do
    printf '%s\n' "${line#@}" >>"$log"
    case $line in
      @[1-9]*' '[1-9]*' '[0-9]*' '*) ;;
      *) continue ;;
    esac
    # shellcheck disable=SC2086  # split into words
    set -- ${line#@}
    seconds=${3%%.*}
    # Short builds need no words; the first files say nothing about the rest.
    [ "$seconds" -ge 5 ] && [ "$1" -lt "$2" ] || continue
    if [ -t 2 ]; then
      printf '\r\033[Kbuilding stridewise: %s of %s files, %s' "$1" "$2" \
        "$(left "$1" "$2" "$seconds")" >&2
    elif [ "$seconds" -ge "$next" ]; then
      next=$((seconds + 20))
      printf 'building stridewise: %s of %s files, %s\n' "$1" "$2" \
        "$(left "$1" "$2" "$seconds")" >&2
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

: >"$log"
[ -e "$build/built" ] ||
  echo "building stridewise, once: about 3 minutes on two cores..." >&2
configured() {
  [ -e "$build/build.ninja" ] || return 1
  grep -q '^STRIDEWISE_TESTS:BOOL=ON' "$build/CMakeCache.txt" ||
    [ "$build/build.ninja" -nt "$here/CMakePresets.json" ]
}
configured || cmake -S "$here" --preset "$preset" -B "$build" >"$log" 2>&1 || fail
status=$build/status
{
  NINJA_STATUS='@%f %t %e ' cmake --build "$build" --target "$target" 2>&1 &&
    echo 0 >"$status" || echo 1 >"$status"
} | show
[ "$(cat "$status")" = 0 ] || fail
rm -f "$status"
# Sources that changed while they were compiled count as changed.
touch -r "$began" "$build/built"
