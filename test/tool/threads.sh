#!/usr/bin/env bash
# threads.sh TOOL: --threads is checked, shown, and changes nothing but times.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

# ---- the option ----
for command in info check bench verify draw demo; do
    expect 0 $command --help
    says "--threads N"
    says "1 to 256"
    for wrong in 0 -1 257 1000 99999999999999999999 2.5 two ''; do
        expect 2 $command --threads "$wrong"
        tells "carom $command: --threads"
        holds ! -s .out
    done
    expect 2 $command --threads 1000
    tells "--threads: '1000' is not a whole number from 1 to 256"
    expect 2 $command --threads
    tells "--threads needs a value"
done
expect 2 gen torus --threads 2 -o x.stl
tells "'--threads'"

# ---- the same output for every number ----

# Without what a clock says: milliseconds in text, rows of times in JSON, columns of times in the bench's table.
untimed() {
    sed -E -e '/"[a-z_]*_(ms|us)": /d' -e '/^  read  /d' -e 's/, built in [0-9.]+ ms//' -e 's/, [0-9.]+ ms$//' .out
}

# same_for_all CODE ARGUMENT...
same_for_all() {
    local threads truth
    expect "$@" --threads 1
    truth=$(untimed)
    holds -n "$truth"
    for threads in 2 3 16 256; do
        expect "$@" --threads $threads
        holds "$(untimed)" = "$truth"
    done
    expect "$@"
    holds "$(untimed)" = "$truth"
}

"$carom" gen torus-knot --triangles 10000 -o knot.obj 2>/dev/null
"$carom" gen torus --triangles 10000 -o ring.stl 2>/dev/null
"$carom" gen blob --triangles 2000 -o blob.obj 2>/dev/null
"$carom" gen box --triangles 12 -o box.obj 2>/dev/null
printf 'v 0 0 0\n' >points.obj
printf 'v 0 nan 0\n' >nan.obj
same_for_all 0 info knot.obj ring.stl blob.obj box.obj knot.obj points.obj
same_for_all 0 info knot.obj ring.stl blob.obj box.obj --json --parts
same_for_all 2 info knot.obj nan.obj missing.obj ring.stl box.obj
for question in "" --distance "--all --json --contacts" "--clearance 0.5 --engine tree"; do
    # shellcheck disable=SC2086
    same_for_all 1 check knot.obj ring.stl $question
done
same_for_all 1 check box.obj ring.stl --engine brute
apart="1 0 0 0 1 0 0 0 1 4 0 0"
same_for_all 0 check knot.obj ring.stl --pose-b "$apart" --distance --clearance 0.1
same_for_all 1 check knot.obj knot.obj --json --distance
same_for_all 0 bench --triangles 500 --poses 5 --json
same_for_all 0 bench blob.obj box.obj --poses 10 --json --engine all
expect 1 draw knot.obj ring.stl -o one.png --width 320 --height 200 --threads 1
expect 1 draw knot.obj ring.stl -o many.png --width 320 --height 200
holds "$(cksum <one.png)" = "$(cksum <many.png)"
same_for_all 0 demo -o shown
data=${CAROM_DATA:-$OLDPWD/../shared/data}
if [ -d "$data/meshmesh" ]; then
    same_for_all 0 verify meshmesh "$data/meshmesh/poses.txt"
fi

# ---- messages: each file's own, in the order of the files, whoever read it ----
for threads in 1 2 8; do
    expect 2 info nan.obj box.obj missing.obj points.obj empty.stl --threads $threads
    holds "$(sed -n 's/^carom info: \([a-z]*\)\..*/\1/p' .err | tr '\n' ' ')" = "nan missing empty "
    tells "note: points.obj: no faces"
    tells "nan.obj: line 1: coordinate 'nan'"
    tells "missing.obj: can't be opened"
    tells "empty.stl: can't be opened"
    says box.obj
    expect 2 check missing.obj nan.obj --threads $threads
    holds "$(sed -n 's/^carom check: \([a-z]*\)\..*/\1/p' .err | tr '\n' ' ')" = "missing nan "
done
finish
