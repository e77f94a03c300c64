#!/usr/bin/env bash
# bench_geoimage.sh TOOL: `carom bench geoimage`: equal answers, stages, the published claim, the chart.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 bench geoimage --fast --plot figure.png
says "Figure 5"
says "mipmaps"
says "compaction"
says "129 x 129"
tells figure.png
holds "$(head -c 4 figure.png | tail -c 3)" = PNG
holds "$(grep -c DIFFER .out)" = 0
# On the processor boxes are rebuilt 250 times as fast as a tree, so a goal of 10 is reached under any load.
says "times as fast as building (goal: 10)"
holds "$(grep -c '^  CPU .*MISSED' .out)" = 0

# Without drivers the processor is left, and finds the same.
CAROM_GPU=off expect 0 bench geoimage --distances 2 --steps 2 --fast --json
says '"answers_equal": true'
says '"published_gain": 0.13'
says '"CPU"'
says '"goal_over_building": 10'
expect 0 bench geoimage --rigid --distances 1 --steps 1 --fast
says "    1.200"

for wrong in "--steps 0" "--steps 361" "--distances 0" "--distances 17"; do
    expect 2 bench geoimage $wrong
    tells "${wrong% *}"
done
expect 2 bench geoimage a.obj
tells "unexpected argument"
expect 2 bench geoimage --fast --distances 1 --steps 1 --plot no/such/folder/x.png
expect 0 bench geoimage --help
says "usage: carom bench geoimage [options]"
finish
