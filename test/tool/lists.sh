#!/usr/bin/env bash
# lists.sh TOOL: several lists together, what they say about the scene in whatever order, and what is wrong with a list.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/harness.bash"
cd "$folder" || exit 1
expect 0 gen box --triangles 12 --size 1 -o box.obj
expect 0 gen box --triangles 12 --size 2 -o large.obj
list() { # NAME JSON
    echo "$2" >"$1.json"
}
# lacks TEXT: stdout of the last run does not have it.
lacks() {
    cases=$((cases + 1))
    ! grep -qF -- "$1" .out || complain "$last: stdout has '$1'"
}
# follows: the last output follows the schema of reports.
follows() {
    command -v python3 >/dev/null || return
    cases=$((cases + 1))
    python3 "$here/validate.py" "$here/../../docs/check.schema.json" .out >.python 2>&1 ||
        complain "$last: $(head -3 .python)"
}

# ---- units: each list is converted to --unit, with its poses, motion and clearance; without it, they have to agree ----
list mm '{"unit": "mm", "files": [{"file": "box.obj", "name": "mm-cube", "pose": [12, 0, 0]}]}'
list in '{"unit": "in", "files": [{"file": "box.obj", "name": "inch-cube"}]}'
list far '{"unit": "mm", "files": [{"file": "box.obj", "name": "far-cube", "pose": [20, 0, 0]}]}'
list none '{"files": [{"file": "box.obj", "name": "cube", "pose": [0, 9, 0]}]}'
for both in "mm.json in.json" "in.json mm.json"; do
    for unit in mm in cm m ft; do
        # shellcheck disable=SC2086
        expect 1 check $both --unit $unit
        says "inside"
        lacks "verdict   clear"
    done
    # shellcheck disable=SC2086
    expect 2 check $both --json
    tells "mm.json has "
    tells "in.json has "
    tells "--unit"
    follows
    says '"verdict": "not checked"'
    # what is not in lists is still checked
    # shellcheck disable=SC2086
    expect 2 check $both box.obj large.obj
    says "2 read"
    says "a_inside_b"
done
expect 0 check far.json in.json --unit mm
expect 1 check far.json in.json --unit mm --clearance 6.81 # 20 - 12.7 - 0.5 = 6.8
expect 0 check far.json in.json --unit mm --clearance 6.79
expect 0 check mm.json far.json
says "verdict   clear"
for both in "mm.json none.json" "none.json mm.json"; do # one that has none is in the unit of the scene
    # shellcheck disable=SC2086
    expect 0 check $both --json
    follows
    says '  "unit": "mm"'
done
# a list that states its unit keeps its meaning: boxes of 1 inch, 2 inches apart
list inches '{"unit": "in", "clearance": 0.75, "files": [{"file": "box.obj"}, {"file": "box.obj", "pose": [2, 0, 0]},
    {"file": "large.obj", "unit": "mm", "pose": [0, 2, 0]}]}'
for unit in "" "--unit in" "--unit mm" "--unit cm"; do
    # shellcheck disable=SC2086
    expect 0 check inches.json $unit
    # shellcheck disable=SC2086
    expect 0 check inches.json $unit --clearance 0.99in
    # shellcheck disable=SC2086
    expect 1 check inches.json $unit --clearance 1.01in
    says "too close"
done
expect 0 check inches.json --unit mm --json
follows
says '"clearance": 19.05'
says '[1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 50.8, 0.0, 0.0]'
holds "$(grep -c '"unit": "in"' .out)" = 2 # the third has its own
expect 2 check inches.json --unit mm --file-unit 1=cm --file-unit 1=mm
tells "two units"
# poses on the command line are in the unit of the scene
expect 1 check inches.json --unit mm --pose "2=26 0 0" --distance
says "         0.6  #1 box.obj  #2 box.obj"
list own '{"files": [{"file": "box.obj", "unit": "mm"}, {"file": "box.obj", "pose": [5, 0, 0]}]}'
expect 2 check own.json --json
tells "own.json"
tells "has its own unit"
follows
says '"status": "NOT_CHECKED"'
expect 0 check own.json --unit mm
expect 2 sim own.json
tells "has its own unit"

# the same clearance in two units, whichever conversion rounds
list tenth '{"unit": "in", "clearance": 0.1, "files": [{"file": "box.obj", "pose": [9, 0, 0]}]}'
list metric '{"unit": "mm", "clearance": 2.54, "files": [{"file": "box.obj"}]}'
list nearly '{"unit": "mm", "clearance": 2.5400001, "files": [{"file": "box.obj"}]}'
for unit in in mm cm m ft; do
    expect 0 check tenth.json metric.json --unit $unit
    expect 0 check metric.json tenth.json --unit $unit
    expect 2 check nearly.json tenth.json --unit $unit
    tells "--clearance"
done
# options that count models mean others when some are left out
expect 2 check mm.json in.json box.obj box.obj --pose-b "5 0 0"
tells "models were left out"
lacks "verdict   clear"
expect 2 check mm.json in.json box.obj box.obj --pose "2=5 0 0"
expect 2 check mm.json in.json box.obj box.obj --file-unit 2=cm
expect 2 check mm.json in.json box.obj box.obj
says "2 read"

# ---- a clearance that a list demands holds whatever comes after; two that differ are refused ----
list close '{"clearance": 5, "files": [{"file": "box.obj"}, {"file": "box.obj", "pose": [2, 0, 0]}]}'
list other '{"files": [{"file": "large.obj", "pose": [0, 99, 0]}]}'
list same '{"clearance": 5.0, "files": [{"file": "large.obj", "pose": [0, 99, 0]}]}'
list less '{"clearance": 0.5, "files": [{"file": "large.obj", "pose": [0, 99, 0]}]}'
list zero '{"clearance": 0, "files": [{"file": "large.obj", "pose": [0, 99, 0]}]}'
for both in "close.json other.json" "other.json close.json" "close.json same.json" "same.json close.json"; do
    # shellcheck disable=SC2086
    expect 1 check $both
    says "too close"
    # shellcheck disable=SC2086
    expect 0 check $both --clearance 0.9
done
for both in "close.json less.json" "less.json close.json" "close.json zero.json" "zero.json close.json"; do
    # shellcheck disable=SC2086
    expect 2 check $both --json
    tells "close.json has "
    tells "--clearance"
    follows
    lacks '"clearance"'
    says '"verdict": "not checked"'
    # shellcheck disable=SC2086
    expect 1 check $both --clearance 1.1
    says "too close"
done
list inch '{"unit": "in", "clearance": 1, "files": [{"file": "box.obj"}]}'
list metric '{"unit": "mm", "clearance": 25.4, "files": [{"file": "box.obj", "pose": [99, 0, 0]}]}'
expect 0 check inch.json metric.json --unit mm --json
says '"clearance": 25.4'

# ---- poses that are objects: every key counts, and there is one rotation ----
wrong() { # CULPRIT JSON-OF-FILE
    list wrong "{\"files\": [{\"file\": \"box.obj\", $2}, {\"file\": \"box.obj\", \"pose\": [9, 0, 0]}]}"
    expect 2 check wrong.json
    tells "wrong.json: file 1: $1"
    expect 2 sim wrong.json
}
wrong "translate: is not a key of a pose" '"pose": {"translate": [1, 2, 3]}'
wrong "angle: is not a key of a pose" '"pose": {"axis": [0, 0, 1], "angle": 90}'
wrong "at: is not a key of a pose" '"pose": {"axis": [0, 0, 1], "degrees": 90, "at": [1, 2, 3]}'
wrong "pose: degrees need an axis" '"pose": {"degrees": 90}'
wrong "pose: an axis needs degrees" '"pose": {"axis": [0, 0, 1]}'
wrong "pose: needs a translation" '"pose": {}'
wrong "pose: has two rotations" '"pose": {"quaternion": [0, 0, 0, 1], "axis": [0, 0, 1], "degrees": 90}'
wrong "degrees: must be a number" '"pose": {"axis": [0, 0, 1], "degrees": "90"}'
wrong "axis: has no direction" '"pose": {"axis": [0, 0, 0], "degrees": 90}'
wrong "name: must be a text" '"name": 5'
wrong "name: must be a text" '"name": null'
wrong "poze: is not a key of a file" '"poze": [1, 2, 3]'
list right '{"files": [{"file": "box.obj", "pose": {"translation": [1, 0, 0]}}, {"file": "box.obj"},
    {"file": "box.obj", "pose": {"quaternion": [0, 0, 1, 0], "translation": [0, 1, 0]}},
    {"file": "box.obj", "pose": {"axis": [0, 0, 1], "degrees": 90, "translation": [1, 1, 0]}}]}'
expect 0 check right.json
says "6 contacts"

# ---- a byte-order mark before a list is no part of it; elsewhere it is ----
printf '\xef\xbb\xbf' >marked.json
cat right.json >>marked.json
expect 0 check marked.json
says "6 contacts"
printf '\xef\xbb\xbf' >empty.json
expect 2 check empty.json
tells "empty.json: line"
printf '\xef\xbb' >half.json
cat right.json >>half.json
expect 2 check half.json
printf '\xef\xbb\xbf\xef\xbb\xbf' >twice.json
cat right.json >>twice.json
expect 2 check twice.json
{ printf '\xef\xbb\xbf%5000s' ''; cat right.json; } >long.json # more than is read at once
expect 0 check long.json
says "6 contacts"
expect 2 check missing.json
tells "missing.json"

# ---- two poses for one model contradict each other ----
for options in "--pose box.obj=9,0,0 --pose-a 0,9,0" "--pose-b 9,0,0 --pose 2=0,9,0" "--pose 1=9,0,0 --pose box.obj=9,0,0"; do
    # shellcheck disable=SC2086
    expect 2 check box.obj large.obj $options
    tells "two poses"
done
expect 0 check box.obj large.obj --pose box.obj=9,0,0 --pose-b 0,9,0

finish
