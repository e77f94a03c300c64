#!/usr/bin/env bash
# geoimage.sh TOOL: geometry images of models, as text, JSON, PNG and OBJ.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 gen torus --triangles 800 -o torus.obj
expect 0 geoimage torus.obj -o gim.png --picture --size 65 --charts --width 320 --height 200
says "charts      1 of 4,225 points, genus 1, 0 boundaries"
says "stretch"
says "error       at most"
says "65 x 65"
for file in gim.png gim-normals.png gim-picture.png; do
    holds "$(head -c 4 "$file" | tail -c 3 | tr -d '\n')" = PNG
done
# The image is 65 x 65 pixels: the size is in the header, from byte 16 on.
holds "$(od -An -tu1 -j16 -N8 gim.png | tr -s ' ')" = " 0 0 0 65 0 0 0 65"
holds "$(grep -c '^v ' gim.obj)" -eq 4225
holds "$(grep -c '^f ' gim.obj)" -eq 8192

# The seams fit, so a closed surface stays closed, with the same number of handles.
expect 0 info gim.obj --json
says '"closed": true'
says '"triangles": 8192'

# Where the image meets itself: a torus nowhere; two sheets, as charts, in as many pairs as they do as bodies.
expect 0 geoimage torus.obj --size 33 --self
says "itself      0 pairs"
printf 'v -1 0.1 -1\nv 1 0.1 -1\nv 1 0.1 1\nv -1 0.1 1\nf 1 2 3\nf 1 3 4\n' >cross.obj
printf 'v -1 -1 0.1\nv 1 -1 0.1\nv 1 1 0.1\nv -1 1 0.1\nf 5 6 7\nf 5 7 8\n' >>cross.obj
expect 0 geoimage cross.obj --size 9 --self -o crossed.png
pairs=$(sed -n 's/^  itself *\([0-9]*\) pairs.*/\1/p' .out)
holds "$pairs" -gt 20
expect 1 check crossed.obj --all
holds "$(grep -c '^pair' .out)" -eq "$pairs"
expect 0 geoimage cross.obj --size 9 --self --json
says "\"self_pairs\": $pairs"

# Without pictures, in JSON; rectangles; parts of a model are charts.
expect 0 gen hand --triangles 600 -o hand.obj
expect 0 geoimage hand.obj --json --size 33x17
says '"triangles": 600'
says '"genus": 0'
says '"width": 33'
says '"height": 17'
holds "$(grep -c '"error_to_mesh"' .out)" -eq 7
expect 0 geoimage torus.obj --floater --size 33
says "stretch"

# The same for any number of workers.
expect 0 geoimage torus.obj -o again.png --size 65 --threads 3
holds "$(cmp gim.obj again.obj && echo same)" = same
holds "$(cmp gim.png again.png && echo same)" = same
holds ! -e again-picture.png

# Three triangles at an edge, a degenerate one, and nothing.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\nf 1 1 2\n' >odd.obj
expect 0 geoimage odd.obj --size 9
says "charts      4 of"
says "1 edges split, 1 degenerate triangles"
printf 'v 0 0 0\n' >empty.obj
expect 3 geoimage empty.obj
tells "has no triangles"

# What can't be done is said.
expect 2 geoimage
expect 2 geoimage torus.obj -o torus.obj
tells "must end in .png"
expect 2 geoimage torus.obj --picture
tells "--picture needs -o"
for size in 2 0 x 65x 65x2 65x65x 99999; do
    expect 2 geoimage torus.obj --size $size
    tells "--size $size"
done
expect 2 geoimage missing.obj
expect 2 geoimage torus.obj -o no/such/folder/x.png
expect 2 geoimage torus.obj -o x.png --picture --width 0
finish
