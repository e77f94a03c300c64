#!/usr/bin/env bash
# sim.sh TOOL: scenes by name and from lists, stepped, measured and drawn.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.bash"
cd "$folder" || exit 1

expect 0 sim --list
for scene in gears falling mine-600 rubble assembly; do says "$scene "; done
expect 0 sim gears --steps 3
says "gears: 4 bodies, 16,384 triangles, 3 steps, engine tree"
says "step 3 of 3"
says "broad phase: "
# the first three gears mesh without touching, the fourth clashes with the third
holds "$(awk '$1 ~ /^[0-9]+$/ { print $2, $3 }' .out | sort -u)" = "3 1"
expect 0 sim falling --steps 2 --broad sweep
says "1,000 bodies"
says "sweep"

# ---- every engine and broad phase finds the same in every step ----
answers() { grep -o '"step": [0-9]*, \|"triangle_pairs": [0-9]*\|"contact_points": [0-9]*\|"hash": "[0-9a-f]*"' .out | cksum; }
expect 0 sim rubble --steps 5 --json
truth=$(answers)
says '"document": "carom sim"'
says '"scene": "rubble"'
says '"reason": "'
holds "$(grep -c '"step": ' .out)" = 5
for method in "--engine brute" "--broad brute" "--broad grid" "--broad sweep3" "--threads 1" "--engine epcd"; do
    # shellcheck disable=SC2086
    expect 0 sim rubble --steps 5 --json $method
    holds "$(answers)" = "$truth"
done

# ---- lists with motion: a small box passes through a large one, in steps 4 to 8 ----
expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 gen box --triangles 12 --size 1 -o small.obj
cat >moving.json <<'END'
{"steps": 13, "files": [{"file": "box.obj", "static": true}, {"file": "small.obj", "pose": [-3, 0, 0.9], "velocity": [0.5, 0, 0]},
  {"file": "small.obj", "name": "spinning", "pose": [0, 9, 0], "axis": [0, 0, 2], "turns": 0.125}]}
END
expect 0 sim moving.json
says "3 bodies, 36 triangles, 13 steps"
holds "$(awk '$1 ~ /^[0-9]+$/ && $3 > 0 { printf "%s ", $1 }' .out)" = "3 4 5 6 7 8 9 "
expect 0 sim moving.json --steps 2
says "step 2 of 2"
# what is too close does not meet
for place in "0.9 0 1 0" "1 0 1 0" "1.2 0 0 1" "1.5 0 0 1" "1.7 0 0 0" "1.8 0 0 0" "0.5 0 1 0"; do
    read -r x y meeting close <<<"$place"
    printf '{"clearance": 0.7, "files": [{"file": "small.obj"}, {"file": "small.obj", "pose": [%s, %s, 0]}]}' \
        "$x" "$y" >close.json
    expect 0 sim close.json --json
    says "\"body_pairs\": $meeting, \"body_pairs_too_close\": $close,"
    expect 0 sim close.json
    holds "$(awk '$1 == "0" { print $3, $4 }' .out)" = "$meeting $close"
done
printf '{"files": [{"file": "box.obj"}]}' >lonely.json
expect 3 sim lonely.json
tells "fewer than two bodies"

# ---- pictures: frames, and the same frames in one file ----
expect 0 sim gears --steps 6 --every 2 --width 96 --height 60 --frames shown/deep --picture moving.png
holds "$(ls shown/deep | tr '\n' ' ')" = "frame-00000.png frame-00001.png frame-00002.png "
tells "3 frames"
if command -v python3 >/dev/null; then
    cases=$((cases + 1))
    python3 "$here/apng.py" moving.png shown/deep/*.png >.python 2>&1 || complain "moving.png: $(tail -1 .python)"
    cases=$((cases + 1))
    ! python3 "$here/apng.py" moving.png shown/deep/frame-0000[01].png >.python 2>&1 || complain "apng.py misses a frame"
fi
expect 0 sim capsules --steps 2 --width 64 --height 40 --picture solids.png
holds -s solids.png

# ---- misuse ----
expect 2 sim
expect 2 sim gears falling
expect 2 sim gaers
tells "did you mean 'gears'?"
expect 2 sim none.json
tells none.json
expect 2 sim missing.stl
tells missing.stl
expect 2 sim gears --every 0
tells "--every 0"
expect 2 sim gears --steps 99999999999
tells "--steps 99999999999"
expect 2 sim gears --steps 0
tells "--steps 0: must be from 1 to 10,000,000"
expect 2 sim gears --picture gears.obj
tells gears.obj
expect 2 sim gears --picture none/gears.png --steps 1
tells none/gears.png
: >file
expect 2 sim gears --frames file/sub --steps 1
tells file
expect 2 sim gears --width 0 --picture x.png
tells "--width 0"
expect 2 sim gears --broad sweeep
tells "did you mean 'sweep'?"
holds -z "$(find . -name '*.tmp')"
if [ -w /dev/full ]; then
    "$carom" sim rubble --steps 2 >/dev/full 2>.err
    holds $? = 2
    "$carom" sim rubble --steps 2 --json >/dev/full 2>.err
    holds $? = 2
fi

# ---- a terminal gets a table that is kept up to date ----
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    TERM=xterm script -qec "'$carom' sim gears --steps 4" /dev/null </dev/null >.out 2>.err
    last="carom sim on a terminal"
    says $'\033[12A'
    says "whole step, ms"
    says "step 4 of 4"
else
    echo "SKIPPED: the table on a terminal: script (bsdutils) is absent or finds no pseudo-terminal in /dev/pts"
fi
finish
