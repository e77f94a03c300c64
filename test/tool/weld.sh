#!/usr/bin/env bash
# weld.sh TOOL: --weld on a sphere whose corners a file rounded apart, and what info and check call closed.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

# ---- a sphere in ASCII STL: each corner of each triangle is off by up to one in the last digit ----
expect 0 gen ico-sphere --triangles 1280 --size 2 -o sphere.obj
awk 'function off() { seed = (seed * 16807) % 2147483647; return (seed % 3 - 1) * 1e-6 }
     BEGIN { seed = 42; print "solid sphere" }
     $1 == "v" { x[++n] = $2; y[n] = $3; z[n] = $4 }
     $1 == "f" { print "facet normal 0 0 0\nouter loop"
                 for (i = 2; i <= 4; i++) printf "vertex %.6f %.6f %.6f\n", x[$i] + off(), y[$i] + off(), z[$i] + off()
                 print "endloop\nendfacet" }
     END { print "endsolid sphere" }' sphere.obj >sphere.stl
expect 0 gen box --triangles 12 --size 0.1 -o small.obj
expect 0 info sphere.stl
says "not closed, "
expect 0 info sphere.stl --json
says '"joined_corners": 0'
expect 0 info sphere.stl --weld 4e-6
says "closed, oriented, manifold"
says "components  1"
says "corners joined, 0 triangles collapsed"
expect 0 info sphere.stl --weld 4e-6 --json
joined=$(sed -n 's/.*"joined_corners": \([0-9]*\).*/\1/p' .out)
holds "$joined" -gt 642
says '"components": 1'
says '"distinct_vertices": 642'
says '"closed": true'
says '"collapsed_triangles": 0'
expect 1 check sphere.stl small.obj --weld 4e-6
says "sphere.stl: 1,280 triangles, closed, "
says "small.obj: 12 triangles, closed, 0 corners joined"
says b_inside_a
expect 1 check sphere.stl small.obj --weld 0.004mm --unit m --json
says "\"joined_corners\": $joined"
expect 0 bench sphere.stl small.obj --weld 4e-6 --poses 2
expect 1 draw sphere.stl small.obj --weld 4e-6 -o welded.png
tells "clash: B is inside A"

# ---- without it, nothing is inside for certain; the advice leads there ----
advised() { # FILE: it is torn, and the length in the advice closes it
    expect 1 check "$1" small.obj
    says "relation  apart"
    says "verdict   probably inside: B seems to be inside A; A is not closed, so this is an estimate"
    tells "$1 looks torn open by rounding: with --weld "
    length=$(sed -n 's/.*with --weld \([^ ]*\) .*/\1/p' .err)
    expect 1 check "$1" small.obj --weld "$length"
    says "$1: 1,280 triangles, closed, "
    says "relation  b_inside_a"
    says "verdict   clash: B is inside A"
    expect 0 check "$1" small.obj --pose-b "1 0 0 0 1 0 0 0 1 1.2 0 0"
    says "verdict   clear"
}
advised sphere.stl
# thirteen triangles whose corners differ in the last printed digit from those of their neighbours
awk 'BEGIN { print "solid sphere" }
     $1 == "v" { x[++n] = $2; y[n] = $3; z[n] = $4 }
     $1 == "f" { off = f++ % 100 == 50 ? 1e-4 : 0
                 print "facet normal 0 0 0\nouter loop"
                 for (i = 2; i <= 4; i++) printf "vertex %.4f %.4f %.4f\n", x[$i] + off, y[$i] + off, z[$i] + off
                 print "endloop\nendfacet" }
     END { print "endsolid sphere" }' sphere.obj >few.stl
expect 0 info few.stl
says "components  14"
advised few.stl
expect 0 info few.stl --weld 2e-4
says "39 corners joined, 0 triangles collapsed"
says "components  1"

# ---- lengths that are none, or too long ----
for bad in -1 nan inf 1e400 x 5parsec ''; do
    expect 2 info sphere.stl --weld "$bad"
    tells "--weld"
done
expect 2 check sphere.stl small.obj --weld 1mm
tells "add --unit"
expect 2 info sphere.stl --weld 2e30
tells "sphere.stl: a weld length of 2e+30 is not a number from 0 to 2^100"
expect 2 bench --weld 1
tells "no files to weld"
expect 0 info sphere.stl --weld 0
says "not closed, "
expect 0 info sphere.stl --weld 0.5
tells "triangles, which collapse"

# ---- closed means the same everywhere: something can be inside ----
closed() { # WORD FILE
    expect 0 info "$2"
    says "surface     $1"
    expect 0 info "$2" --json
    says "\"closed\": $3"
    for engine in "" "--engine=tree"; do
        # shellcheck disable=SC2086
        expect 0 check "$2" small.obj --pose-b "1 0 0 0 1 0 0 0 1 9 9 9" $engine
        says "$2: $4 triangles, $1"
        # shellcheck disable=SC2086
        expect 0 check "$2" small.obj --pose-b "1 0 0 0 1 0 0 0 1 9 9 9" --json $engine
        holds "$(grep -m1 '"closed"' .out | tr -d ' ,')" = "\"closed\":$3"
    done
}
expect 0 gen box --triangles 12 --size 2 -o box.obj
closed closed box.obj true 12
head -n -1 box.obj >open.obj
closed "not closed" open.obj false 11
# every edge has two triangles, but one triangle is turned over
awk '$1 == "f" && !done { print $1, $3, $2, $4; done = 1; next } { print }' box.obj >turned.obj
closed "not closed" turned.obj false 12
finish
