#!/usr/bin/env bash
# parallel.sh TOOL: `carom bench parallel`: the published figures, equal answers for every number of workers, the chart.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 bench parallel --steps 2 --repeats 1 --threads 3,2 -o chart.png
for scene in parallel-1 parallel-2 parallel-3; do says "$scene: "; done
says "28,853 triangles"
says "14832.7     7225.9      581.7      222.4" # table 4-1
says "1.00       2.05       1.00       2.66"
says " 1 worker"
says " 3 workers"
holds "$(grep -oE '[0-9]+ workers?$|[0-9]+ workers? ' .out | head -3 | tr -d '\n')" = "1 worker 2 workers 3 workers " # ascending
says "idle share"
tells chart.png
holds "$(head -c 4 chart.png | tail -c 3)" = PNG
expect 0 bench parallel --scene parallel-2 --steps 1 --repeats 1 --threads 2 --tasks-at-once 5 --json
says '"answers_equal": true'
says '"epcd": 125.9'
says '"idle_share"'

expect 0 bench parallel --help
says "usage: carom bench parallel [options]"
says --threads
expect 2 bench parallel --threads 0
tells "--threads 0"
expect 2 bench parallel --threads 1,,2
expect 2 bench parallel --threads 2,
expect 2 bench parallel --threads two
expect 2 bench parallel --threads 100000
expect 2 bench parallel --scene tori
tells "'tori'"
expect 2 bench parallel --steps 0
expect 2 bench parallel --steps 101
expect 2 bench parallel --repeats 0
expect 2 bench parallel -o chart.obj
tells chart.obj
expect 2 bench parallel box.obj
tells box.obj
finish
