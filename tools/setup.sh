#!/bin/sh
# Installs what is missing of Debian's packages; does nothing when all is there.
#   setup.sh run | test
set -eu

run="cmake ninja-build g++ libfmt-dev libexpected-dev libcli11-dev
nlohmann-json3-dev libtbb-dev"
test="$run python3 python3-numpy libgtest-dev libgmock-dev
librapidcheck-dev libdnnl-dev libbenchmark-dev clang libclang-rt-14-dev
clang-format"

case ${1:-} in
  run) wanted=$run ;;
  test) wanted=$test ;;
  *) echo "usage: setup.sh run|test" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    "install ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
  root=sudo
fi
echo "installing:$missing" >&2
$root apt-get update -qq >&2
# shellcheck disable=SC2086  # the list is meant to be split
DEBIAN_FRONTEND=noninteractive $root apt-get install -y -qq \
  --no-install-recommends $missing >&2
