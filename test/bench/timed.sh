#!/usr/bin/env bash
# timed.sh STDIN COMMAND [ARGUMENT…]: runs it on this script's own stdout and stderr, and writes to descriptor 3:
# real, user and system time (s, ms resolution, cut off, children of the command included), then start and end (s since
# the epoch, µs resolution; 0 before bash 5).
# STDIN is `socket`, this script's own stdin (Node and Claude Code give their children sockets), or `pipe`, an anonymous
# pipe with the same bytes (Codex).
LC_ALL=C
TIMEFORMAT='%3R %3U %3S'
if [ "$1" = pipe ]; then
  input=$(cat)
  exec < <(printf '%s' "$input")
  wait $! # its time must not be counted
fi
shift
start=${EPOCHREALTIME:-0}
{ time "$@" 2>&4 3>&- 4>&-; } 4>&2 2>&3
status=$?
echo "$start ${EPOCHREALTIME:-0}" >&3
exit "$status"
