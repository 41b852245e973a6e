#!/bin/sh
# Compiles the programs of the Solr studies into the folder $1, and copies the jars that they need to $1/lib.
# Needs a JDK (11 or later) and Maven; the network only when Maven has not got the jars yet.
set -eu
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
make() { mvn -B -q "$@" -Dout="$out" -Dscratch="$scratch" process-classes; }
out=$1
make -o >/dev/null 2>&1 || make
