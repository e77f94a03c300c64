#!/usr/bin/env bash
# models.sh TOOL: gen, info, check and draw on generated models, and what bad files and full disks do.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

# ---- gen and info ----
expect 0 gen --list
says torus-knot
expect 0 gen --list --json
says '"name": "torus-knot"'
for kind in $("$carom" gen --list | cut -d' ' -f1); do
    expect 0 gen "$kind" --triangles 1000 -o "$kind.stl"
    tells "1000 triangles"
done
expect 0 info ./*.stl --json
says '"triangles": 1000'
expect 0 gen torus --triangles 2000 -o torus.obj
expect 0 info torus.obj
says "closed, oriented, manifold"
says "2,000"
# the same seed gives the same bytes, another seed others
expect 0 gen blob --seed 5 -o one.obj
expect 0 gen blob --seed 5 -o two.obj
expect 0 gen blob --seed 6 -o three.obj
holds "$(cksum <one.obj)" = "$(cksum <two.obj)"
holds "$(cksum <one.obj)" != "$(cksum <three.obj)"

# ---- check: box against box ----
expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 gen box --triangles 12 --size 0.5 -o small.stl
expect 1 check box.obj box.obj
says "relation  equal"
expect 0 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --distance
says "apart"
says "distance  1"
expect 0 check box.obj box.obj --pose-b 1 0 0 0 1 0 0 0 1 3 0 0 --distance --json
says '"relation": "apart"'
says '"distance": 1.0'
says '"pair_count": 0'
says '"status": "OK"'
says '"hash": "'
says '"boxes_tested"'
says '"total_ms"'
expect 1 check box.obj small.stl --json
says '"relation": "b_inside_a"'
expect 1 check small.stl box.obj
says a_inside_b
expect 0 check box.obj box.obj --pose-b=1,0,0,0,1,0,0,0,1,2,2,2 --all
says touching
says "pair "
expect 1 check box.obj box.obj --all --json --max-pairs 3
says '"status": "TRUNCATED"'
says '"pairs"'
expect 1 check box.obj box.obj --contacts --json
says '"contacts"'
# clearance in the model's unit, in another, and exactly kept
expect 1 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --clearance 1.5
says violated
expect 0 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --clearance 1
says kept
expect 1 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --clearance 1001mm --unit m
expect 0 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --clearance 999mm --unit m
expect 1 check box.obj box.obj --pose-b "1 0 0 0 1 0 0 0 1 3 0 0" --clearance 4ft --unit m --json
says '"clearance": 1.2192'

# ---- time that is not enough: it ends reading and building, or the answer is unknown with bounds that hold ----
expect 0 gen torus-knot --triangles 20000 -o knot.obj
expect 0 gen torus --triangles 20000 -o ring.obj
expect 2 check knot.obj ring.obj --seconds 1e-9 --clearance 10 --distance
tells "not decided within 1e-09 seconds"
says "knot.obj: not read, out of time"
# nothing meets, and brute force takes many times as long as reading
expect 0 gen uv-sphere --triangles 100000 --size 1 -o outer.obj
expect 0 gen uv-sphere --triangles 100000 --size 0.99 -o inner.obj
late="check outer.obj inner.obj --engine brute --seconds 2"
# shellcheck disable=SC2086
expect 2 $late --clearance 1e-9
tells "not decided within 2 seconds"
says "relation  unknown (out of time)"
says "pairs     at least 0"
says "clearance 1e-09 unknown"
# shellcheck disable=SC2086
expect 2 $late --clearance 1e-9 --json
says '"status": "UNKNOWN"'
says '"clearance_violated": null'
expect 1 check knot.obj ring.obj --seconds 100
says "relation  overlapping"

# ---- every method gives the same pairs and the same hash ----
turned="0.6 -0.8 0 0.8 0.6 0 0 0 1 0.3 0.1 0.2"
pairs() { grep -E '^(pair|hash) ' .out | cksum; }
expect 1 check torus-knot.stl torus.stl --pose-b "$turned" --all
truth=$(pairs)
for volume in obb aabb kdop6 kdop14 kdop18 kdop26 sphere rss; do
    expect 1 check torus-knot.stl torus.stl --pose-b "$turned" --all --volume $volume
    holds "$(pairs)" = "$truth"
done
for engine in tree brute sstcd spcd escd epcd; do
    expect 1 check torus-knot.stl torus.stl --pose-b "$turned" --all --engine $engine
    holds "$(pairs)" = "$truth"
done
expect 1 check torus-knot.stl torus.stl --pose-b "$turned" --all --tree tight
holds "$(pairs)" = "$truth"

# ---- nothing to check ----
printf 'v 0 0 0\nv 1 0 0\n' >points.obj
expect 3 check points.obj box.obj
tells points.obj
expect 3 check box.obj points.obj --json
expect 0 info points.obj
tells "no faces"
expect 3 draw points.obj points.obj -o nothing.png
tells "nothing was drawn"
holds ! -e nothing.png
expect 3 draw box.obj points.obj -o one.png
tells "nothing was checked: points.obj has no triangles"
holds -s one.png
expect 3 bench points.obj box.obj --poses 1

# ---- bad input ----
: >empty.stl
printf 'v 0 0 0\nf 1 2 3\n' >index.obj
printf 'v 0 nan 0\n' >nan.obj
head -c 1000 torus.stl >short.stl
mkdir folder.stl
for bad in empty.stl index.obj nan.obj short.stl missing.stl; do
    expect 2 check box.obj $bad
    tells $bad
    expect 2 info $bad
    tells $bad
done
expect 2 info folder.stl
tells folder.stl
expect 3 check box.obj folder.stl # a folder stands for the models in it
tells "folder.stl: no model files"
expect 2 info box.obj index.obj
says "box.obj"
tells "line 2"
expect 2 check box.obj harness.xyz
tells harness.xyz

# ---- output that can't be written ----
expect 2 gen torus -o folder.stl
tells folder.stl
expect 2 gen torus -o none/x.stl
tells none/x.stl
expect 2 gen torus -o x.unknown
tells unknown
holds ! -e x.unknown
(ulimit -f 8 && exec "$carom" gen torus --triangles 20000 -o big.stl) >.out 2>.err
holds $? = 2
holds -z "$(ls -d big.stl* 2>/dev/null)"
if [ -w /dev/full ]; then
    "$carom" info box.obj >/dev/full 2>.err
    holds $? = 2
fi

# ---- colour: on a terminal that has it, unless it is unwanted ----
coloured() { # NAME=VALUE...
    env "$@" script -qec "'$carom' check box.obj box.obj" /dev/null </dev/null >.out 2>.err
    last="carom check on a terminal with $*"
    grep -q $'\033' .out
}
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
    coloured TERM=xterm
    holds $? = 0
    coloured TERM=xterm NO_COLOR=
    holds $? = 0
    coloured TERM=dumb
    holds $? = 1
    coloured TERM=xterm NO_COLOR=1
    holds $? = 1
    coloured -u TERM
    holds $? = 1
else
    echo "SKIPPED: colour on a terminal: script (bsdutils) is absent or finds no pseudo-terminal in /dev/pts"
fi

# ---- pictures ----
expect 1 draw box.obj box.obj --pose-b "$turned" -o box.png --width 160 --height 100
holds "$(head -c 4 box.png | tail -c 3)" = PNG
expect 2 draw box.obj box.obj -o none/box.png
tells none/box.png
for bad in short.stl missing.stl folder.stl nan.obj; do
    expect 2 draw box.obj $bad -o bad.png
    tells $bad
    holds ! -e bad.png
    expect 2 bench box.obj $bad --poses 1
    tells $bad
done
expect 2 draw box.obj box.obj --width 100000 -o box.png
expect 0 bench --triangles 300 --poses 5 --json
says '"answers_equal": true'
expect 0 bench box.obj small.stl --poses 5 --engine all
says "all answers equal"
expect 0 demo -o shown
says "found: 4 clashes, 0 probably inside, 10 contacts, 2 too close"
holds -s shown/report.json
holds -s shown/demo.png
expect 0 demo --scene capsules -o solids # spheres and capsules are drawn too
holds -s solids/demo.png
: >file
expect 2 demo -o file/sub
tells file
holds -z "$(find . -name '*.tmp')"
finish
