#!/bin/sh
# Runs a test program under oclgrind, which simulates a device and sees every
# access; its log must tell of none that is invalid.
#   oclgrind.sh PROGRAM [ARGS...]
set -eu
log=$(mktemp)
trap 'rm -f "$log"' EXIT
oclgrind --log "$log" --max-errors 20 --data-races "$@"
if [ -s "$log" ]; then
  cat "$log"
  exit 1
fi
