#!/usr/bin/env bash
# reading.sh TOOL: standard input, poses in every form, links and modes of outputs, signals, notes about files.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1
expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 gen torus --triangles 2000 -o torus.stl

# ---- standard input ----
for kind in obj stl; do
    file=$([ $kind = obj ] && echo box.obj || echo torus.stl)
    cases=$((cases + 1))
    last="a pipe of $kind"
    "$carom" info "$file" >.whole
    cat "$file" | "$carom" info - --format $kind >.out 2>.err || complain "$last: exit code"
    says "$(grep triangles .whole)"
    says "$(grep area .whole)"
done
expect 2 info - < <(:)
tells "standard input needs a format"
expect 2 info - --format obj < <(:)
tells "empty"
expect 2 info box.obj --format step
tells "'step'"
# a name that says nothing about the format
cp box.obj box.model
expect 2 info box.model
tells "unknown file type"
expect 0 info box.model --format obj
# refused before it is read
truncate -s 100G huge.model
expect 2 info huge.model
tells "unknown file type"
truncate -s 100G huge.stl huge.obj
expect 2 info huge.stl
tells "says no triangles"
expect 2 info huge.obj
tells "byte 0 is zero"
rm huge.*

# ---- poses: all of these put the box 3 to the right, a turn by 90 degrees apart ----
for pose in "3 0 0" "3,0,0" "3 0 0 0 0 0 2" "1 0 0 0 1 0 0 0 1 3 0 0" "1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1" \
    "1 0 0 0 0 1 0 0 0 0 1 0 3 0 0 1" "axis 0 0 5 90 at 3 0 0" "axis 1 0 0 -180 at 3 0 0" \
    "3 0 0 0 0 0.70711 0.70711" "0 -1.0001 0 1 0 0 0 0 1 3 0 0"; do
    expect 0 check box.obj box.obj --pose-b "$pose" --distance
    says "distance  1 "
done
expect 0 check box.obj box.obj --pose-b "0.7071 -0.7071 0 0.7071 0.7071 0 0 0 1 3 0 0" --distance
says "distance  0.58578643"
refused() {
    expect 2 check box.obj box.obj --pose-b "$1"
    tells "$2"
}
refused "1 0 0 0 1.1 0 0 0 1 3 0 0" "row 2 has 1.1 where about 1"
refused "1 0 0 0 1 0 0 0 -1 3 0 0" "mirrors"
refused "1 0 0 0 0 0 0 0 0 3 0 0" "flattens"
refused "1 0 0 3 0 1 0 0 0 0 1 0 0 0 0.5 1" "number 15 is 0.5"
refused "1 2 3 4" "4 numbers"
refused "1 2 3x" "number 3, '3x', is not a number"
refused "1 2 three" "'three' is not a number"
refused "1 2 1e999" "not finite"
refused "0 0 0 0 0 0 0" "quaternion is zero"
refused "axis 0 0 0 90" "no direction"
refused "axis 0 1e999 0 90" "not finite"
# an axis has no length: the largest and the smallest numbers will do
expect 0 check box.obj box.obj --pose-b "axis 0 0 1 90 at 3 0 0" --distance
grep -v _ms .out | grep -v "^work" >turned
for length in 1e300 1.7976931348623157e308 1e-320 5e-324; do
    expect 0 check box.obj box.obj --pose-b "axis 0 0 $length 90 at 3 0 0" --distance
    holds "$(grep -v "^work" .out)" = "$(cat turned)"
    echo '{"files": [{"file": "box.obj"}, {"file": "box.obj", "turns": 0.25, "axis": [0, 0, '$length'],
        "pose": {"axis": [0, 0, '$length'], "degrees": 90, "translation": [3, 0, 0]}}]}' >axis.json
    expect 0 check axis.json --clearance 0.999 --json
    holds "$(grep -c '"pose": \[.*3.0, 0.0, 0.0\]' .out)" = 1
    expect 0 sim axis.json --steps 2
done
expect 0 check box.obj box.obj --pose-b "axis 1e300 1e300 0 180 at 3 0 0" --distance
says "distance  1 "
echo '{"files": [{"file": "box.obj", "turns": 1, "axis": [0, 0, 0]}, {"file": "box.obj"}]}' >axis.json
expect 2 sim axis.json
tells "file 1: axis: has no direction"
refused "axis 0 0 1" "4 numbers"
refused "axis 0 0 1 90 at 1 2" "3 numbers"
refused "axis 0 0 1 90 by 1 2 3" "at x y z"
refused "1e40 0 0" "beyond 2^100"
refused "1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18" "too many"

# ---- an output never replaces an input, under whatever name ----
cp box.obj input.obj
ln -s input.obj soft.obj
ln input.obj hard.obj
cp box.obj other.obj
echo '{"files": [{"file": "input.obj"}, {"file": "torus.stl"}]}' >inputs.json
cp inputs.json inputs-before.json
for output in input.obj ./input.obj soft.obj hard.obj; do
    for files in "input.obj other.obj" "other.obj torus.stl input.obj" "inputs.json other.obj"; do
        # shellcheck disable=SC2086
        expect 2 check $files -o $output
        tells "$output would be replaced, but it is read"
    done
    expect 2 decompose input.obj -o $output
    tells "$output would be replaced"
done
expect 2 check inputs.json -o inputs.json
tells "inputs.json would be replaced"
expect 2 geoimage input.obj -o input.png
tells "input.obj would be replaced"
cp input.obj model.png
expect 2 decompose model.png --format obj --picture model.png
tells "model.png would be replaced"
expect 2 draw model.png other.obj --format obj -o model.png
tells "model.png would be replaced"
holds "$(cksum <input.obj)" = "$(cksum <box.obj)"
holds "$(cksum <model.png)" = "$(cksum <box.obj)"
holds "$(cat inputs.json)" = "$(cat inputs-before.json)"
expect 0 check input.obj other.obj --pose-b "9 0 0" -o new.txt
expect 0 check input.obj other.obj --pose-b "9 0 0" -o new.txt # of its own, it may be

# ---- outputs: links stay links, modes stay as they are ----
mkdir real
echo old >real/target.obj
chmod 640 real/target.obj
ln -s real/target.obj link.obj
ln -s link.obj link-to-link.obj
expect 0 gen box -o link-to-link.obj
holds -L link.obj
holds -L link-to-link.obj
holds "$(stat -c %a real/target.obj)" = 640
holds "$(head -c 9 real/target.obj)" = "# written"
ln -s real/new.obj dangling.obj
(umask 027 && exec "$carom" gen box -o dangling.obj >.out 2>.err)
holds -L dangling.obj
holds "$(stat -c %a real/new.obj)" = 640
ln -s loop.obj loop.obj
expect 2 gen box -o loop.obj
tells "loop.obj"
holds -z "$(ls -d ./*.tmp real/*.tmp 2>/dev/null)"

# ---- a signal while a file is written leaves the old one, and nothing else ----
echo old >slow.stl
for signal in INT TERM HUP; do
    # a shell has its background jobs ignore SIGINT, and this one would end with a job that it ends
    rm -f .pid .code
    # shellcheck disable=SC2016
    sh -c '"$@" & echo $! >.pid; wait $!; echo $? >.code' sh env --default-signal=INT,HUP,TERM "$carom" \
        gen torus --triangles 400000 --text -o slow.stl >.out 2>.err &
    wrapper=$!
    # until the temporary file is there
    for _ in $(seq 600); do
        compgen -G 'slow.stl.*.tmp' >/dev/null && break
        sleep 0.05
    done
    kill -s $signal "$(cat .pid)"
    wait $wrapper
    code=$(cat .code)
    last="SIG$signal while writing"
    holds "$code" = $((128 + $(kill -l $signal)))
    holds "$(cat slow.stl)" = old
    holds -z "$(compgen -G 'slow.stl.*.tmp')"
done

# ---- what a damaged OBJ file has ----
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0 red\nvx 1 2 3\nff 1 2 3\nf 1 2 3\n' >damaged.obj
expect 0 info damaged.obj
tells "line 3: 'red' was not understood; 3 such statements were skipped"
says "1 (0 degenerate)"
printf 'v 0 0 0\nv 4 4 0\nv 4 0 0\nv 0 3 0\nv -1 2 0\nf 1 2 3 4 5\n' >crossing.obj
expect 0 info crossing.obj
tells "line 6: a face crosses itself"

# ---- how fast files are read ----
expect 0 bench read box.obj torus.stl --repeats 2
says "torus.stl"
says "2,000"
expect 2 bench read nowhere.obj
tells "nowhere.obj"
expect 2 bench read
tells "which files"
expect 2 bench read box.obj --repeats 0
tells "--repeats 0"

finish
