#!/usr/bin/env bash
# decompose.sh TOOL: convex pieces of models, as text, JSON, OBJ and PNG.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 gen torus --triangles 400 -o torus.obj
expect 0 decompose torus.obj --verify -o pieces.obj --picture pieces.png
says "pieces      77 ("
says "verified"
holds "$(grep -c '^g piece_' pieces.obj)" -eq 77
holds "$(grep -c '^f ' pieces.obj)" -eq 400
holds "$(head -c 4 pieces.png | tail -c 3 | tr -d '\n')" = PNG

# The pieces are the same triangles; their hulls are closed.
expect 0 info pieces.obj --json
says '"triangles": 400'
says '"closed": true'
expect 0 decompose torus.obj --hulls -o hulls.obj --picture hulls.png --width 100 --height 80
expect 0 info hulls.obj --parts
says "piece_76"

expect 0 decompose torus.obj --json --verify
says '"pieces": 77'
says '"verify_ms"'

# The same for any number of workers.
expect 0 decompose torus.obj -o again.obj --threads 3
holds "$(cmp pieces.obj again.obj && echo same)" = same

# Single triangles and nothing.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 2 0 0\nf 1 2 3\nf 1 2 4\nf 1 1 1\n' >odd.obj
expect 0 decompose odd.obj --verify --hulls -o odd-hulls.obj
says "pieces      3 ("
holds "$(grep -c '^l ' odd-hulls.obj)" -eq 1
holds "$(grep -c '^p ' odd-hulls.obj)" -eq 1
printf 'v 0 0 0\n' >empty.obj
expect 3 decompose empty.obj
tells "has no triangles"

# What can't be done is said.
expect 2 decompose
expect 2 decompose torus.obj --picture torus.obj
tells "must end in .png"
expect 2 decompose missing.obj
expect 2 decompose torus.obj -o no/such/folder/x.obj
expect 2 decompose torus.obj --picture x.png --width 0
finish
