#!/usr/bin/env bash
# truth.sh TOOL: carom verify on the public truth, and on truth made false: it must notice.
. "$(dirname "$0")/harness.bash"
data=${CAROM_DATA:-../shared/data}
if [ ! -d "$data/tritri" ]; then
    echo "no data in $data (set CAROM_DATA)"
    exit 77
fi

expect 0 verify tritri "$data/tritri/pairs.txt" --volume all --engine all
says " cases, 0 wrong, 0 skipped"
expect 0 verify meshmesh "$data/meshmesh/poses.txt" --tree tight
says "300 cases, 0 wrong, 0 skipped"
expect 0 verify meshmesh "$data/meshmesh/poses.txt"
says "300 cases, 0 wrong, 0 skipped"
expect 0 verify hardcases "$data/hardcases/hardcases.json"
says "74 cases, 0 wrong, 67 skipped"
tells "box-box"

# every volume on a few poses, every builder too
mkdir "$folder/few"
cp "$data"/meshmesh/*.obj "$folder/few/"
head -14 "$data/meshmesh/poses.txt" >"$folder/few/poses.txt"
expect 0 verify meshmesh "$folder/few/poses.txt" --volume all --engine all
says ", 0 wrong, 0 skipped"

# one truth turned over
awk '/^[^#]/ && !done { $2 = 1 - $2; done = 1 } { print }' "$data/tritri/pairs.txt" >"$folder/false.txt"
expect 1 verify tritri "$folder/false.txt"
says "5600 cases, 1 wrong, 0 skipped"
says "line "
awk '/^[^#]/ && !done { $13 = $13 + 1; done = 1 } { print }' "$folder/few/poses.txt" >"$folder/few/false.txt"
expect 1 verify meshmesh "$folder/few/false.txt"
says "12 cases, 1 wrong"
awk '/^[^#]/ && $13 == 0 && !done { $14 = $14 * 1.00000001; done = 1 } { print }' "$folder/few/poses.txt" >"$folder/few/far.txt"
expect 1 verify meshmesh "$folder/few/far.txt"
says "12 cases, 1 wrong"
sed '0,/"exact_intersects": false/s//"exact_intersects": true/' "$data/hardcases/hardcases.json" >"$folder/false.json"
expect 1 verify hardcases "$folder/false.json"
says "1 wrong"

# files that are not what they should be
expect 2 verify tritri "$data/meshmesh/poses.txt"
tells "line 3"
expect 2 verify hardcases "$data/tritri/pairs.txt"
expect 2 verify meshmesh "$data/tritri/pairs.txt"
tells env_q.obj
expect 2 verify tritri "$folder/missing.txt"
tells missing.txt
expect 2 verify tritri "$folder"
grep -v '^#' "$data/tritri/pairs.txt" | head -3 >"$folder/three.txt"
{ printf '  # a comment\n\n \t\r\n'; cat "$folder/three.txt"; } >"$folder/spaced.txt"
expect 0 verify tritri "$folder/spaced.txt"
says "3 cases, 0 wrong, 0 skipped"
{ cat "$folder/three.txt"; printf '\0\n'; cat "$folder/three.txt"; } >"$folder/zero.txt"
expect 2 verify tritri "$folder/zero.txt"
tells "zero byte"
echo '{}' >"$folder/object.json"
expect 2 verify hardcases "$folder/object.json"
tells "not a list"
: >"$folder/nothing.txt"
expect 3 verify tritri "$folder/nothing.txt"
says "0 cases"
finish
