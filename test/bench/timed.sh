#!/usr/bin/env bash
# timed.sh COMMAND [ARGUMENT…]: runs it on this script's own stdin, stdout and stderr, and writes to descriptor 3:
# start and end (s since the epoch, µs resolution; 0 before bash 5), then real, user and system time (s, ms resolution,
# cut off, children of the command included).
LC_ALL=C
TIMEFORMAT='%3R %3U %3S'
start=${EPOCHREALTIME:-0}
{ time "$@" 2>&4 3>&- 4>&-; } 4>&2 2>&3
status=$?
echo "$start ${EPOCHREALTIME:-0}" >&3
exit "$status"
