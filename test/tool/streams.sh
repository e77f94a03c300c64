#!/usr/bin/env bash
# streams.sh TOOL: the stream engines: `carom check --engine scd2 --printed`, `carom bench stream`.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS }ignore_noninstrumented_modules=1"

expect 0 gen torus --triangles 300 -o a.obj
expect 0 gen hand --triangles 404 -o b.obj

# ---- refusals, without a driver ----
expect 2 check a.obj b.obj --printed
tells "--printed needs --engine scd0, scd1 or scd2"
expect 2 check a.obj b.obj --engine image --printed
tells "--printed needs --engine"
for wrong in "--scene 5" "--sizes 0" "--sizes 6" "--steps 0" "--steps 101"; do
    expect 2 bench stream $wrong
    tells "${wrong% *}"
done
expect 2 bench stream a.obj
tells "unexpected argument"

CAROM_GPU=off expect 2 check a.obj b.obj --engine scd0
"$carom" gpu >.out 2>.err
if [ $? = 3 ]; then
    echo "no graphics driver: $(cat .err)"
    finish || exit 1
    exit 77
fi

# ---- the same answer as trees, and what the printed code says ----
expect 1 check a.obj b.obj --all
grep '^pair ' .out >truth
for engine in scd0 scd1 scd2; do
    expect 1 check a.obj b.obj --engine $engine --all
    grep '^pair ' .out >found
    holds "$(cmp truth found)" = ""
done
expect 1 check a.obj b.obj --engine scd0 --printed
says "printed   of 1 pairs of bodies, 0 missed and 0 wrong"
says "may have been missed"

# ---- the experiment ----
expect 0 bench stream --quick --scene 4 --steps 2 --plot .
says "Figure 3-18"
says "per pass"
says "ms per step, any hit"
holds -s figure-3-18.png
expect 0 bench stream --quick --scene 1 --steps 1 --json
says '"us_per_pass"'
says '"all_pairs": false'
expect 0 bench stream --quick --scene 1 --steps 1 --all
says "ms per step, all pairs"
expect 0 bench stream --quick --scene 1 --steps 1 --fast --all --json
says '"all_pairs": true'

finish
