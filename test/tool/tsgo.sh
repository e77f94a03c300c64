#!/usr/bin/env bash
# tsgo.sh TOOL: `carom bench tsgo`: the published figures, equal answers of all methods, the grid's depths, the plots.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

mkdir plots
expect 0 bench tsgo --quick --plot plots
says "OBB trees     hybrid       TSGO       ours"
says "57.06      56.94      55.88"    # table 1
says "165.53     164.70     157.23"
says "94,847"
says "97,427"
says "Figure 3: ms per step at depth"
says "Figure 9"
says "diagonal rule"
holds "$(grep -c 'ANSWERS DIFFER' .out)" = 0
holds "$(grep -cE '^ +(50|200) +(OBB trees|hybrid|TSGO|ours) ' .out)" = 8
tells figure-3.png
tells figure-9.png
for plot in 3 9; do holds "$(head -c 4 plots/figure-$plot.png | tail -c 3)" = PNG; done

# Fewer pairs of bodies from one method to the next; the topological grid and ours test the same.
pairs() { sed -n "s/^ *200 $1 *\([0-9]*\) .*/\1/p" .out; }
holds "$(pairs 'OBB trees')" = 21100 # 200 * 199 / 2 + 200 * 6
holds "$(pairs 'OBB trees')" -gt "$(pairs hybrid)"
holds "$(pairs hybrid)" -gt "$(pairs TSGO)"
holds "$(pairs TSGO)" = "$(pairs ours)"

expect 0 bench tsgo --pieces 600 --steps 1 --repeats 1 --depth 3 --json
says '"answers_equal": true'
says '"triangles": 104319'
says '"published_points": 1716'
says '"TSGO": 247.08'
says '"depth": 3'
says '"ms_by_depth"'
says '"cells_missed"'

expect 0 bench tsgo --help
says "usage: carom bench tsgo [options]"
says --depth
expect 2 bench tsgo --pieces 60
tells "--pieces 60"
expect 2 bench tsgo --depth 0
expect 2 bench tsgo --depth 6
tells "--depth 6"
expect 2 bench tsgo --steps 0
expect 2 bench tsgo --steps 101
expect 2 bench tsgo --repeats 0
expect 2 bench tsgo box.obj
tells box.obj
expect 2 bench tsgo --pieces 50 --steps 1 --repeats 1 --plot nowhere
tells nowhere
finish
