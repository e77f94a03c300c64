#!/usr/bin/env bash
# many.sh TOOL: check with any number of files, folders and lists: verdicts against those of each pair alone, parts, poses,
# units, limits, JSON against its schema, and hostile input.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.bash"
cd "$folder" || exit 1

# follows: the last output is JSON that follows the schema; all are checked together at the end.
mkdir documents
follows() {
    cp .out "documents/$(printf '%03d' "$cases").json"
    echo "$last" >"documents/$(printf '%03d' "$cases").txt"
    cases=$((cases + 1))
}
# lacks TEXT: stdout of the last run does not have it.
lacks() {
    cases=$((cases + 1))
    ! grep -qF -- "$1" .out || complain "$last: stdout has '$1'"
}
# lacks_error TEXT: stderr of the last run does not have it.
lacks_error() {
    cases=$((cases + 1))
    ! grep -qF -- "$1" .err || complain "$last: stderr has '$1'"
}

expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 gen box --triangles 12 --size 0.5 -o small.obj
expect 0 gen torus --triangles 2000 --size 3 -o ring.obj
expect 0 gen blob --triangles 1000 --size 2 --seed 3 -o blob.obj
head -n -1 box.obj >open.obj # a triangle is missing
printf 'v 0 0 0\nv 1 0 0\n' >points.obj
at() { echo "1 0 0 0 1 0 0 0 1 $1 $2 $3"; }

# ---- the validator notices what is wrong ----
if command -v python3 >/dev/null; then
    expect 1 check box.obj small.obj --json
    follows
    for change in 's/"version": 1/"version": 2/' 's/"clash"/"crash"/' 's/"hash": "/"hash": "x/' '/"carom"/d' \
        's/"pair_count": 0/"pair_count": -1/' 's/"mode": "pair"/"mode": "scene"/' 's/"closed": true/"closed": 1/' \
        's/"relation"/"relatoin"/' 's/"read_ms": [0-9.e-]*/"read_ms": NaN/'; do
        sed "$change" .out >wrong.json
        cases=$((cases + 1))
        ! cmp -s .out wrong.json || complain "validator: '$change' changes nothing"
        ! python3 "$here/validate.py" "$here/../../docs/check.schema.json" wrong.json >/dev/null 2>&1 ||
            complain "validator: accepts a document after '$change'"
    done
fi

# ---- all against all: each pair has the verdict that it has alone, with every engine ----
files=(box.obj small.obj ring.obj blob.obj open.obj)
place=("$(at 0 0 0)" "$(at 0 0 1.25)" "$(at 0.5 0 0)" "$(at 2.5 0 0)" "$(at -1.5 0 0)")
poses=()
for i in 0 1 2 3 4; do poses+=(--pose "$((i + 1))=${place[i]}"); done
: >alone
for i in 0 1 2 3; do
    for ((k = i + 1; k < 5; k++)); do
        for clearance in 0.6; do
            "$carom" check "${files[i]}" "${files[k]}" --pose-a "${place[i]}" --pose-b "${place[k]}" \
                --clearance $clearance >.pair 2>/dev/null
            verdict=$(sed -n 's/^verdict   \([a-z ]*\).*/\1/p' .pair)
            [ "$verdict" = clear ] || echo "$verdict $(sed -n 's/^relation  //p' .pair) #$((i + 1)) #$((k + 1))" >>alone
        done
    done
done
holds "$(wc -l <alone)" -ge 4
for method in "" "--engine brute" "--volume aabb" "--broad sweep" "--broad grid" "--threads 1" "--cache trees" "--cache trees"; do
    # shellcheck disable=SC2086
    expect 1 check "${files[@]}" "${poses[@]}" --clearance 0.6 $method
    sed -n '/^verdict  *relation/,/^$/p' .out | sed 1d | tr -s ' ' |
        sed -n 's/^\([a-z ]*[a-z]\) \([a-z_]*\) [0-9]* [-0-9.e]* \(#[0-9]\) [^ ]* \(#[0-9]\) .*/\1 \2 \3 \4/p' >together
    holds "$(sort alone)" = "$(sort together)"
done
holds -n "$(ls trees)"
says "5 read, 0 not read, 0 without triangles"
says "examined  10 pairs of bodies"
says "bodies    5, 3,035 triangles"
# the worst first
holds "$(head -1 together | cut -d' ' -f1)" = clash
expect 1 check "${files[@]}" "${poses[@]}" --clearance 0.6 --top 1
says "... and "
expect 1 check "${files[@]}" "${poses[@]}" --clearance 0.6 --json --distance --all
follows
says '"verdict": "clash"'
says '"document": "carom check"'
says '"mode": "scene"'
expect 1 check "${files[@]}" "${poses[@]}" --json --top 1
follows
holds "$(grep -c '"explanation"' .out)" = 1
expect 1 check "${files[@]}" "${poses[@]}" --json --top 0
follows
says '"findings": []'
expect 1 check "${files[@]}" "${poses[@]}" --top 0
says "... and "
says "verdict   clash"
lacks "#1"
expect 2 check "${files[@]}" --all --max-pairs 0
tells "--max-pairs 0: must be 1 or more"
expect 1 check "${files[@]}" --all --max-pairs 7 --json
follows
says '"status": "TRUNCATED"'
holds "$(grep -cE '^ *\[[0-9]+, [0-9]+, "' .out)" = 7
# the report in a file: the same bytes but for times
expect 1 check "${files[@]}" --json
grep -v _ms .out >first
expect 1 check "${files[@]}" --json -o report.json
holds ! -s .out
holds "$(grep -v _ms report.json | cksum)" = "$(cksum <first)"
expect 1 check "${files[@]}" -o report.txt
cases=$((cases + 1))
grep -q "^found " report.txt || complain "report.txt has no findings"
expect 2 check "${files[@]}" -o none/report.txt
tells none/report.txt

# ---- contacts name their triangles, with and without the list of pairs, as brute force over pairs does ----
expect 1 check box.obj ring.obj --json --contacts
follows
lacks '"pairs": ['
expect 1 check box.obj ring.obj blob.obj --whole --json --contacts
follows
lacks '"pairs": ['
if command -v python3 >/dev/null; then
    expect 1 check box.obj ring.obj blob.obj --json --contacts --all
    follows
    cases=$((cases + 1))
    python3 - .out >.python <<'END' || complain "contacts and pairs differ: $(cat .python)"
import json, sys
report = json.load(open(sys.argv[1]))
count = 0
for finding in report["findings"]:
    pairs = sorted(pair[:2] for pair in finding["pairs"])
    assert len(pairs) == finding["pair_count"], "not all pairs are listed"
    assert sorted(contact["triangles"] for contact in finding["contacts"]) == pairs, "other triangles"
    count += len(pairs)
assert count > 100, count
END
fi

# ---- parts: one file, all against all; a group that is continued is one body; numbers are those of the file ----
parts() { # two boxes, one on top of the other, the second in two pieces
    echo "o lower"
    grep '^[vf]' box.obj
    awk '$1 == "v" { print "v", $2, $3, $4 + 2 }' box.obj
    awk '$1 == "f" { n++; if (n == 1 || n == 7) print (n == 1 ? "g upper" : "g side\nf 1 2 3\ng upper")
                     print "f", $2 + 8, $3 + 8, $4 + 8 }' box.obj
}
parts >parts.obj
expect 0 info parts.obj --parts
holds "$(grep -c '^  part ' .out)" = 4
expect 0 check parts.obj --all
says "bodies    3, 25 triangles"
says "contact         touching"
says "#1 parts.obj:lower  #2 parts.obj:upper"
holds "$(awk '$1 == "pair" && ($2 > 24 || $3 > 24)' .out | wc -l)" = 0
holds "$(awk '$1 == "pair" && $3 >= 19' .out | wc -l)" -gt 0 # upper's second piece: 19 .. 24
# side: triangle 18 of the file
holds "$(awk '/^[a-z]/ && $1 != "pair" { side = /#3 parts.obj:side/ } side && $1 == "pair" { print $3 }' .out | sort -u)" = 18
expect 3 check parts.obj --whole
says "not checked: two bodies are needed"
tells "nothing was checked"
# two files are compared as a whole, unless parts are wanted
expect 1 check parts.obj small.obj
says "relation  "
expect 1 check parts.obj small.obj --parts
says "bodies    4, 37 triangles"
expect 2 check parts.obj small.obj --parts --whole
tells "contradict"
# what is in a file, but not in its triangles, is noted and counted
{ cat box.obj; printf 'p 1\nl 1 2\nl 2 3\nwhat 1\ncstype bezier\ndeg 1 1\nsurf 0 1 0 1 1 2 3 4\nend\ncurv 0 1 1 2\nend\ncall other.obj\n'
    printf 'v 9 0 0\nv 13 4 0\nv 13 0 0\nv 9 3 0\nv 8 2 0\nf -1 -2 -3 -4 -5\n'; } >scraps.obj
"$carom" gen box --triangles 12 -o tail.stl >.out 2>&1
printf 'tail' >>tail.stl
expect 1 check scraps.obj tail.stl --json
follows
tells "line 28: 2 free-form surfaces or curves are not read"
tells "'what' was not understood; 2 such statements were skipped"
tells "4 bytes after the last triangle are ignored"
holds "$(grep -A8 '"left_out"' .out | tr -d ' \n{}-')" = '"left_out":"points":1,"lines":2,"free_form":2,"statements":2,"bytes":0,"odd_faces":1,"complex_faces":0,"left_out":"points":0,"lines":0,"free_form":0,"statements":0,"bytes":4,"odd_faces":0,"complex_faces":0,'
# STL solids, two of one name
solid() { printf 'solid same\nfacet normal 0 0 0\nouter loop\nvertex 0 0 %s\nvertex 1 0 %s\nvertex 0 1 %s\nendloop\nendfacet\nendsolid same\n' "$1" "$1" "$1"; }
{ solid 0; solid 1; } >solids.stl
expect 0 check solids.stl
says "bodies    2, 2 triangles"
expect 1 check solids.stl --clearance 1.5
says "too close"
expect 1 check solids.stl --clearance 1.5 --json
follows
says '"distance": 1.0'

# ---- poses and units of single files ----
for pose in "3 0 0" "3,0,0" "axis 0 0 1 90 at 3 0 0" "3 0 0 0 0 0 1" "$(at 3 0 0)" "1 0 0 3 0 1 0 0 0 0 1 0 0 0 0 1" \
    "1.0000001 1e-9 0 0 1 0 0 0 0.9999999 3 0 0"; do
    expect 0 check box.obj box.obj small.obj --pose "2=$pose" --pose "small.obj=0 0 9" --clearance 0.9
    expect 1 check box.obj box.obj small.obj --pose "2=$pose" --pose "small.obj=0 0 9" --clearance 1.1
    says "too close       apart                0           1  #1 box.obj  #2 box.obj"
done
expect 0 check box.obj small.obj blob.obj --pose "small.obj=3 0 0" --pose "3=0 0 9"
says "verdict   clear"
expect 0 check box.obj small.obj --pose "small.obj=0 3 0"
says "relation  apart"
expect 2 check box.obj box.obj small.obj --pose "box.obj=1 2 3"
tells "use its number"
expect 2 check box.obj small.obj --pose "none.obj=1 2 3"
tells "none.obj"
expect 2 check box.obj small.obj --pose "small.obj=1 2"
tells "2 numbers; a pose has"
expect 2 check box.obj small.obj --pose "small.obj=2 0 0 0 2 0 0 0 2 0 0 0"
tells "not a rotation"
# a box of 2 cm and one of 2 mm, in millimetres: 10 - 1 is the gap at 20
expect 0 check box.obj box.obj --unit mm --file-unit 1=cm --pose "2=20 0 0" --distance
says "distance  9mm"
expect 1 check box.obj box.obj --unit mm --file-unit 1=cm --pose "2=20 0 0" --clearance 1cm
says "too close"
expect 0 check box.obj box.obj --unit cm --file-unit 2=mm --pose "2=2 0 0" --distance
says "distance  0.9cm"
expect 2 check box.obj box.obj --file-unit 1=cm
tells "--unit"
expect 2 check box.obj box.obj --unit mm --file-unit 1=parsec
tells "parsec"

# standard input as one of the files
"$carom" check box.obj - ring.obj --format obj --pose "2=9 0 0" <small.obj >.out 2>.err
holds $? = 1
last="carom check box.obj - ring.obj"
says "bodies    3, 2,024 triangles"

# ---- lists ----
cat >list.json <<'END'
{"unit": "mm", "clearance": 0.5, "files": [
  {"file": "box.obj", "name": "base"},
  {"file": "box.obj", "unit": "cm", "pose": [30, 0, 0]},
  {"file": "small.obj", "pose": {"translation": [0, 0, 1.25], "axis": [0, 0, 1], "degrees": 90}},
  {"file": "small.obj", "name": "turned", "pose": {"translation": [0, 9, 0], "quaternion": [0, 0, 1, 1]}}]}
END
expect 1 check list.json
says "#1 base  #3 small.obj"
says "1 contacts"
expect 1 check list.json --json
follows
says '"unit": "cm"'
expect 1 check list.json box.obj # a list and a file
says "bodies    5, "
bad_list() { # CULPRIT JSON
    echo "$2" >bad.json
    expect 2 check bad.json box.obj small.obj
    tells "bad.json"
    tells "$1"
    says "2 read" # the others go on
}
bad_list "line 1" '{"files": [}'
bad_list "files" '{"unit": "mm"}'
bad_list "files" '[]'
bad_list "file 1: file" '{"files": [{"name": "x"}]}'
bad_list "file 2: pose" '{"files": [{"file": "box.obj"}, {"file": "box.obj", "pose": [1, 2]}]}'
bad_list "file 1: pose" '{"files": [{"file": "box.obj", "pose": {"quaternion": [0, 0, 0, 0]}}]}'
bad_list "file 1: poze" '{"files": [{"file": "box.obj", "poze": [1, 2, 3]}]}'
bad_list "unit" '{"unit": "parsec", "files": []}'
bad_list "clearance" '{"clearance": -1, "files": []}'

# ---- what can't be checked is named; the rest goes on ----
expect 2 check box.obj missing.obj small.obj
tells "missing.obj: can't be opened"
says "2 read, 1 not read"
says "b_inside_a"
expect 2 check box.obj missing.obj small.obj --json
follows
says '"status": "IO_ERROR"'
expect 3 check box.obj points.obj
says "not checked: a model has no triangles"
lacks apart
expect 3 check box.obj points.obj --json
follows
says '"verdict": "not checked"'
says '"status": "NOT_CHECKED"'
lacks apart
expect 2 check box.obj missing.obj --json
follows
says '"verdict": "not checked"'
expect 3 check box.obj points.obj small.obj --pose "3=9 0 0"
tells "not checked: points.obj has no triangles"
says "verdict   incomplete"
expect 3 check box.obj points.obj small.obj --pose "3=9 0 0" --json
follows
says '"verdict": "incomplete"'
expect 1 check box.obj points.obj small.obj
expect 3 check points.obj --json
follows
expect 2 check box.obj small.obj ring.obj --seconds 1e-9
tells "was not read: the time is over"
expect 2 check box.obj small.obj ring.obj --seconds 1e-9 --json
follows
# late or not, the report is written where it should be
for files in "box.obj small.obj" "box.obj small.obj ring.obj"; do
    for format in "" --json; do
        # shellcheck disable=SC2086
        expect 2 check $files --seconds 1e-9 $format
        grep -v _ms .out >printed
        holds -s printed
        rm -f late.txt
        # shellcheck disable=SC2086
        expect 2 check $files --seconds 1e-9 $format -o late.txt
        lacks_error "can't be written"
        holds "$(grep -v _ms late.txt)" = "$(cat printed)"
    done
done

# time that ends in the middle: all pairs are near each other, and some of them are not decided. Nothing meets, and brute
# force takes many times as long as reading
for size in 1 0.99 0.98; do "$carom" gen uv-sphere --triangles 100000 --size $size -o "shell-$size.obj" 2>.err; done
expect 2 check shell-1.obj shell-0.99.obj shell-0.98.obj --engine brute --seconds 2
tells "not decided within 2 seconds"
says "examined  3 pairs of bodies, 3 of them near each other, but 3 of these not to the end"
says "3 unknown; 0 clear"

# time that ends after reading: opening a pipe to write the report waits for its reader, who comes too late; what was never
# looked at is unknown, not clear. Where the machine is busy, reading takes too long, and it is tried again
mkfifo late
for format in "" --json; do
    for seconds in 1 2 4 8 16 32; do
        # shellcheck disable=SC2086
        "$carom" check box.obj small.obj ring.obj --pose "2=0 9 0" --distance --seconds $seconds -o late $format 2>.err &
        sleep $((seconds + 1))
        timeout 60 cat late >.out
        wait $!
        code=$? last="carom check with a report that is read late $format"
        grep -q "was not read" .err || break
    done
    holds $code = 2
    tells "not decided within"
    if [ "$format" = --json ]; then
        follows
        says '"findings": []'
        says '"unknown": 3'
        says '"clear": 0'
        says '"pairs_examined": 0'
    else
        says "examined  none of 3 pairs of bodies"
        says "found     0 clashes, 0 probably inside, 0 contacts, 0 too close, 3 unknown; 0 clear"
        says "verdict   unknown"
    fi
done

# ---- folders, names and other hostile input ----
mkdir empty many mixed
expect 3 check empty
tells "empty: no model files"
expect 3 check empty --json
follows
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >triangle.obj
for i in $(seq 1000); do ln triangle.obj "many/part-$i.obj"; done
expect 1 check many --top 3 --json # one file with a thousand names: read once
follows
says '"clash": 499500'
holds "$(grep -c '"read_ms": 0.0$' .out)" = 999
names=($'new\nline.obj' $'esc\033[31m.obj' $'bell\a.obj' $'bad\xff\xfe.obj' 'dash -.obj' 'quote".obj' $'\xc2\x9b31m.obj' 'ünï.obj')
for name in "${names[@]}"; do cp box.obj "mixed/$name"; done
cp box.obj mixed/.hidden.obj
cp box.obj mixed/notes.txt
mkdir mixed/sub.obj
mkfifo mixed/pipe.obj
expect 1 check mixed
says "bodies    8, 96 triangles"
says 'mixed/new\nline.obj'
says 'mixed/esc\x1b[31m.obj'
says 'mixed/bad\xff\xfe.obj'
says 'mixed/\u009b31m.obj'
says 'mixed/ünï.obj'
tells "4 entries that are no model files were skipped"
holds "$(LC_ALL=C grep -c $'[\001-\010\013-\037\177]' .out)" = 0
expect 1 check mixed --json
follows
says '"mixed/new\u000aline.obj"'
says '"mixed/quote\".obj"'
expect 2 check "mixed/none"$'\033[2J'".obj" box.obj
tells 'none\x1b[2J.obj'
holds "$(LC_ALL=C grep -c $'[\001-\010\013-\037\177]' .err)" = 0
printf 'o esc\033[2Jape\n' >escape.obj
cat box.obj >>escape.obj
expect 0 info escape.obj --parts
says 'esc\x1b[2Jape'
expect 0 info escape.obj --parts --json
says 'esc\u001b[2Jape'
expect 3 check escape.obj --json
follows
expect 2 check "$(printf 'x%.0s' $(seq 5000)).obj" box.obj small.obj
says "2 read, 1 not read"
if [ "$(id -u)" != 0 ]; then
    chmod 0 mixed/new*
    expect 2 check mixed
    tells "can't be opened"
    chmod 0 mixed
    expect 2 check mixed box.obj small.obj
    tells "mixed: can't be listed"
    chmod 700 mixed
fi
expect 1 check box.obj ./box.obj "$folder/box.obj" # one file by three names
says "3 clashes"

# ---- output that can't be written, and memory that is short: an error, never half a report that looks whole ----
if [ -w /dev/full ]; then
    for options in "" --json "--json --all"; do
        # shellcheck disable=SC2086
        "$carom" check box.obj ring.obj small.obj $options >/dev/full 2>.err
        holds $? = 2
    done
fi
if command -v python3 >/dev/null; then
    for kilobytes in 20000 30000 40000 60000 100000; do
        (ulimit -v $kilobytes && "$carom" --version) >/dev/null 2>&1 || continue # a sanitizer needs more
        (ulimit -v $kilobytes && exec "$carom" check ring.obj ring.obj --threads 1 --all --contacts --json) >.out 2>.err
        code=$? last="carom check with $kilobytes KB"
        if [ $code = 2 ]; then
            holds -s .err
        else
            holds $code = 1
            cases=$((cases + 1))
            python3 -c 'import json; report = json.load(open(".out"))
assert len(report["pairs"]) == len(report["contacts"]) == report["pair_count"] > 10000' 2>.err || complain "$last: half a report"
        fi
    done
fi

# ---- the schema ----
if command -v python3 >/dev/null; then
    holds "$(ls documents/*.json | wc -l)" -ge 19
    for document in $(python3 "$here/validate.py" "$here/../../docs/check.schema.json" documents/*.json 2>&1 |
        tee .validated | sed -n 's/:.*//p' | sort -u); do
        complain "$(cat "${document%.json}.txt"): $(grep -F "$document" .validated | head -3)"
    done
else
    echo "SKIPPED: reports against the schema: python3 is absent"
fi
finish
