#!/usr/bin/env bash
# usage.sh TOOL: help, versions, and every way to call the tool wrongly: exit code 2, and the culprit named.
. "$(dirname "$0")/harness.bash"

expect 0 --version
says "carom "
expect 0 --help
for command in info check gen bench verify draw demo; do
    says "  $command "
done
for command in info check gen bench verify draw demo; do
    expect 0 "$command" --help
    says "usage: carom $command"
    expect 2 "$command" --no-such-option
    tells "'--no-such-option'"
    holds ! -s "$folder/.out"
done
expect 2
expect 2 nonsense
tells "'nonsense'"

expect 2 info
expect 2 check one.stl
expect 2 check a b --pose-a 1 2 3
tells "--pose-a"
expect 2 check a b --pose-a "1 0 0 0 1 0 0 0 1 0 0"
tells "11 numbers instead of 12"
expect 2 check a b --pose-a "1 0 0 0 1 0 0 0 2 0 0 0"
tells "not a rotation"
expect 2 check a b --pose-b "1 0 0 0 1 0 0 0 1 0 0 nan"
tells "nan"
expect 2 check a b --clearance 5mm
tells "--unit"
expect 2 check a b --clearance 5parsec --unit mm
tells "parsec"
expect 2 check a b --clearance=-1
tells "-1"
expect 2 check a b --unit furlong
tells "furlong"
expect 2 check a b --tree slow
tells "slow"
expect 2 check a b --volume ball
tells "ball"
expect 2 check a b --engine warp
tells "warp"
expect 2 check a b --volume all
tells "not \`all\`"
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
expect 2 check a b --json=yes
tells "--json"
expect 2 check a b --max-pairs
tells "--max-pairs needs a value"
expect 2 gen
expect 2 gen teapot -o x.stl
tells "teapot"
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
expect 2 gen torus --triangles 99999999999 -o "$folder/x.stl"
holds ! -e "$folder/x.stl"
expect 2 bench one.stl
expect 2 bench --shape teapot
tells "teapot"
expect 2 bench --poses 0
expect 2 verify
expect 2 verify nothing file
tells "nothing"
expect 2 demo extra
tells "extra"
expect 2 demo --scene nowhere
expect 2 demo --engine warp
expect 2 draw a b
tells "-o"
finish
