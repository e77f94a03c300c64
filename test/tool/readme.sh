#!/usr/bin/env bash
# readme.sh TOOL: the commands that README.md shows for the shell do work, in the order in which they are there.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.bash"
cd "$folder" || exit 1
awk '/^```sh/ { inside = 1; next } /^```/ { inside = 0 } inside' "$here/../../README.md" | grep -v '^make \|^export PATH' >commands
last="the commands of README.md"
holds "$(grep -c '^carom ' commands)" -ge 8
# a finding is no failure
mkdir bin
printf '#!/bin/sh\n%q "$@"\ncode=$?\n[ $code -le 1 ] || echo "carom $*: exit code $code" >>%q\n[ $code -le 1 ]\n' \
    "$(realpath "$carom")" "$folder/wrong" >bin/carom
chmod +x bin/carom
: >wrong
PATH="$folder/bin:$PATH" timeout 300 bash -eu commands >.out 2>.err
holds $? = 0
holds ! -s wrong
holds -s report.json
holds -s passing.png
finish
