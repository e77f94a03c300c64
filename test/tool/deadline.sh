#!/usr/bin/env bash
# deadline.sh TOOL: `carom bench deadline`: every frame is accounted for, the table, the plot, refusals.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 bench deadline --frames 60 --bodies 40 --triangles 200 --steps 2 -o plot.png
says "60 frames of 40 bodies"
holds "$(grep -oE '[0-9]+ decided|[0-9]+ cut short|[0-9]+ without' .out | awk '{ sum += $1 } END { print sum }')" = 60
says "processor time"
says "bare loop, elapsed"
says "16.00" # the largest budget
tells plot.png
holds "$(head -c 4 plot.png | tail -c 3)" = PNG
expect 0 bench deadline --frames 0 --bodies 2 --triangles 100 --steps 1
says "undecided"

expect 0 bench deadline --scene knots --bodies 6 --triangles 200 --frames 20 --fresh 5 --misses --steps 1
says "20 frames of 6 bodies (knots)"
says "beyond it, processor"
says "0 bounds above the exact distance"
for scene in teleport rest; do
    expect 0 bench deadline --scene "$scene" --bodies 6 --triangles 200 --frames 4 --steps 1
    says "6 bodies ($scene)"
done
expect 2 bench deadline --scene nowhere
tells nowhere

expect 0 bench deadline --help
says "usage: carom bench deadline [options]"
expect 2 bench deadline --bodies 1
tells --bodies
expect 2 bench deadline --triangles 99
expect 2 bench deadline --steps 0
tells --steps
expect 2 bench deadline -o plot.obj
tells plot.obj
expect 2 bench deadline box.obj
tells box.obj
finish
