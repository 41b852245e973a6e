#!/bin/sh
# Fails 7 of every 20 trials, by the trial's number alone. In the first attempt of shard 2 it cancels the run, as a CI
# system does: the harness gets an INT.
n=$(echo "${FAILRATE_TRIAL##*#}" | sed 's/^0*//')
if [ "$n" = 22 ] && [ -e "$FLAKY_CANCEL" ] && rm "$FLAKY_CANCEL"; then
  kill -INT "$PPID"
fi
[ -z "$NEVER" ] || exit 0
if [ $((n * 7 % 20)) -lt 7 ]; then
  echo "trial $n: connection reset by peer"
  exit 1
fi
