#!/usr/bin/env bash
# usage.sh TOOL: help, versions, and every way to call the tool wrongly: exit code 2, and the culprit named.
. "$(dirname "$0")/harness.bash"

expect 0 --version
says "carom "
expect 0 --help
for command in info check gen bench verify draw demo sim gpu man completion; do
    says "  $command "
done
for command in info check gen bench verify draw demo sim gpu man completion; do
    expect 0 "$command" --help
    says "usage: carom $command"
    says "Exit codes: 0 "
    expect 2 "$command" --no-such-option
    tells "'--no-such-option'"
    holds ! -s "$folder/.out"
done
# lists where an option takes a word of one, and what verify reads
expect 0 check --help
for word in mm, fast, tight kdop18, rss bottom_up, morton brute, epcd; do says "$word"; done
says --seconds
for verdict in "clash, the models overlap" "contact, they touch" "too close, the gap" "an estimate" "0 clear, or a contact"; do
    says "$verdict"
done
expect 0 help check
says "usage: carom check"
expect 2 help nonsense
tells "'nonsense'"
expect 0 bench --help
says ", all"
says torus-knot,
expect 0 demo --list
says "thesis, chapter 4, scene 3"
expect 0 demo --help
says assembly,
expect 0 verify --help
says "tritri     text"
says "meshmesh   text"
says "hardcases  JSON"
expect 2
expect 2 nonsense
tells "'nonsense'"

expect 2 info
expect 2 check one.stl
expect 2 check a b --pose-a 1 2
tells "--pose-a"
expect 2 check a b --pose-a "1 0 0 0 1 0 0 0 1 0 0"
tells "11 numbers; a pose has 3"
expect 2 check a b --pose-a "1 0 0 0 1 0 0 0 2 0 0 0"
tells "not a rotation"
expect 2 check a b --pose-b "1 0 0 0 1 0 0 0 1 0 0 nan"
tells "nan"
expect 2 check a b --clearance 5mm
tells "--unit"
expect 2 check a b --clearance 5parsec --unit mm
tells "parsec"
expect 2 check a b --clearance=-1
tells "--clearance: '-1'"
expect 2 check a b --unit furlong
tells "'furlong' is not one of mm, cm, m, in, ft"
expect 2 check a b --tree slow
tells "'slow' is not one of fast, tight"
expect 2 check a b --volume ball
tells "'ball' is not one of obb, aabb, kdop6, kdop14, kdop18, kdop26, sphere, rss"
expect 2 check a b --builder mason
tells "'mason' is not one of sah, median, mean,"
expect 2 check a b --engine warp
tells "'warp' is not one of tree, brute, sstcd, spcd, escd, epcd,"
expect 2 check a b --seconds -1
tells "--seconds -1"
expect 2 check a b --seconds 0
tells "--seconds 0"
expect 2 check a b --seconds soon
tells "soon"
expect 2 check a b --seconds nan
tells "nan"
expect 2 check "" b
tells "argument 1 is empty"
expect 2 check a b --tree ""
tells "--tree"
expect 2 check a b --volume all
tells "'all' is not one of"
expect 2 check a b --tree tight --volume obb
tells "not 2"
expect 2 check a b --clearance 0
tells "--clearance: '0'"
expect 2 check a b --clearance 1e-400m --unit mm
tells "1e-400m"
expect 2 check a b --contacts
tells "--json"
expect 2 check a b --max-pairs many
tells "many"
expect 2 check a b --max-pairs -1
tells "'-1' is not a whole number, 0 or more"
expect 2 check a b --json=yes
tells "--json"
expect 2 check a b --max-pairs
tells "--max-pairs needs a value"
expect 2 gen
expect 2 gen teapot -o x.stl
tells "'teapot' is not one of"
tells "torus-knot"
expect 2 gen torus -o ""
tells "-o: the value is empty"
expect 2 gen torus
tells "-o"
expect 2 gen torus --triangles 3 -o "$folder/x.stl"
tells "--triangles 3"
expect 2 gen torus --size 0 -o "$folder/x.stl"
tells "--size 0"
expect 2 gen torus --json -o "$folder/x.stl"
tells "--list"
expect 2 gen torus -o "$folder/x"
tells "no extension"
for many in 2147483647 99999999999 99999999999999999999; do
    expect 2 gen torus --triangles $many -o "$folder/x.stl"
    tells "$many"
    holds ! -e "$folder/x.stl"
done
expect 2 bench one.stl
expect 2 bench --shape teapot
tells "'teapot' is not one of"
tells "torus-knot"
expect 2 bench --poses 0
tells "--poses 0"
expect 2 bench --triangles 1
tells "--triangles 1: a torus-knot has from"
expect 2 bench --triangles 2147483648
tells "--triangles 2147483648"
expect 2 bench --seed 18446744073709551615
tells "--seed 18446744073709551615"
expect 2 verify
expect 2 verify nothing file
tells "nothing"
expect 2 demo extra
tells "extra"
expect 2 demo --scene nowhere
tells "'nowhere' is not one of"
tells "assembly"
expect 2 demo --engine warp
tells "'warp' is not one of tree, brute"
expect 2 demo --engine all
tells "'all' is not one of"
expect 2 draw a b
tells "-o"
expect 2 draw a b -o a.obj
tells "a.obj"
expect 2 draw a b -o x.png --width 0
tells "--width 0"
finish
