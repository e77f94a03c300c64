#!/usr/bin/env bash
# verdicts.sh TOOL: every relation of two models: its word, what the tool makes of it, the exit code, the JSON.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

# verdict CODE RELATION VERDICT A B OPTION...: by pair queries, by engines, and as JSON; a picture has the same code.
verdict() {
    local code=$1 relation=$2 verdict=$3 method
    shift 3
    for method in "" "--engine tree" "--engine brute" "--volume aabb"; do
        # shellcheck disable=SC2086
        expect "$code" check "$@" $method
        says "relation  $relation"
        says "verdict   $verdict"
    done
    expect "$code" check "$@" --json
    says "\"relation\": \"$relation\""
    says "\"verdict\": \"${verdict%%:*}\""
}
at() { echo "1 0 0 0 1 0 0 0 1 $1 $2 $3"; }

expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 gen box --triangles 12 --size 0.5 -o small.obj
head -n -1 box.obj >open.obj # a triangle is missing

# ---- apart, contact, clash ----
verdict 0 apart clear box.obj small.obj --pose-b "$(at 5 0 0)"
verdict 0 apart clear box.obj small.obj --pose-b "$(at 5 0 0)" --clearance 3.75
verdict 1 apart "too close: the gap is smaller than the clearance" box.obj small.obj --pose-b "$(at 5 0 0)" --clearance 4
# cubes stacked face to face, shifted, edge to edge, corner to corner
for place in "0 0 2" "1 0.5 2" "2 0 2" "2 2 2"; do
    # shellcheck disable=SC2086
    verdict 0 touching "contact: A and B touch, but do not overlap" box.obj box.obj --pose-b "$(at $place)"
done
verdict 1 touching "contact: A and B touch, but do not overlap" box.obj box.obj --pose-b "$(at 0 0 2)" --clearance 1e-9
says '"clearance_violated": true'
verdict 1 overlapping "clash: A and B overlap" box.obj box.obj --pose-b "$(at 1 1 1)"
verdict 1 overlapping "clash: A and B overlap" box.obj box.obj --pose-b "$(at 1 0 0)"
verdict 1 b_inside_a "clash: B is inside A" box.obj small.obj
verdict 1 a_inside_b "clash: A is inside B" small.obj box.obj
verdict 1 b_inside_a "clash: B is inside A" box.obj small.obj --pose-b "$(at 0.75 0 0)" # touches from within
verdict 1 equal "clash: A and B are the same set of points" box.obj box.obj
# one file with two parts, one of them inside the box, neither meeting it
awk '$1 == "v" { n++; x[n] = $2; y[n] = $3; z[n] = $4; print } $1 == "f" { f[++m] = $0; print }
     END { for (i = 1; i <= n; i++) print "v", x[i] + 9, y[i], z[i]
           for (i = 1; i <= m; i++) { split(f[i], c, " "); print "f", c[2] + n, c[3] + n, c[4] + n } }' small.obj >two.obj
expect 0 info two.obj
says "components  2"
verdict 1 overlapping "clash: A and B overlap" box.obj two.obj
verdict 1 overlapping "clash: A and B overlap" two.obj box.obj --pose-a "$(at -9 0 0)"
verdict 0 apart clear box.obj two.obj --pose-b "$(at -5 0 0)"

# ---- open surfaces ----
sheet() { printf 'v -5 -5 %s\nv 5 -5 %s\nv 5 5 %s\nv -5 5 %s\nf 1 2 3\nf 1 3 4\n' "$1" "$1" "$1" "$1"; }
sheet 0 >sheet.obj
sheet 0.001 >above.obj
printf 'v 0 -5 -5\nv 0 5 -5\nv 0 5 5\nv 0 -5 5\nf 1 2 3\nf 1 3 4\n' >upright.obj
verdict 0 apart clear sheet.obj above.obj
verdict 1 surfaces_meet "clash: A and B are open surfaces that meet" sheet.obj upright.obj
verdict 1 overlapping "clash: A and B overlap" sheet.obj box.obj
verdict 0 touching "contact: A and B touch, but do not overlap" sheet.obj box.obj --pose-b "$(at 0 0 1)"
verdict 0 apart clear sheet.obj box.obj --pose-b "$(at 0 0 1.001)"

# ---- probably inside ----
verdict 1 apart "probably inside: B seems to be inside A; A is not closed, so this is an estimate" open.obj small.obj
says '"not_closed": "A"'
says '"a_in_b": null'
says '"b_in_a": true'
tells "open.obj is not closed (3 boundary edges), and no weld length closes it"
verdict 1 apart "probably inside: A seems to be inside B; B is not closed, so this is an estimate" small.obj open.obj
says '"a_in_b": true'
says '"b_in_a": null'
verdict 1 touching "probably inside: B seems to be inside A" open.obj small.obj --pose-b "$(at 0 0 -0.75)"
verdict 1 apart "probably inside: B seems to be inside A" open.obj two.obj
verdict 0 apart clear open.obj small.obj --pose-b "$(at 5 0 0)"
says '"b_in_a": false'
verdict 0 touching contact open.obj box.obj --pose-b "$(at 0 0 -2)"
verdict 1 b_inside_a clash box.obj small.obj
says '"b_in_a": null'
# no lid: five faces, each of two triangles
grep '^v' box.obj >crate.obj
grep '^f' box.obj | head -10 >>crate.obj
verdict 1 apart "probably inside: B seems to be inside A" crate.obj small.obj

# ---- the time runs out: what is known is said, and nothing else ----
expect 0 gen torus-knot --triangles 20000 -o knot.obj
expect 2 check knot.obj box.obj --seconds 1e-9
says "verdict   unknown: out of time"
expect 2 check knot.obj box.obj --seconds 1e-9 --json
says '"verdict": "unknown"'

# ---- pictures ----
expect 0 draw box.obj box.obj --pose-b "$(at 0 0 2)" -o contact.png
tells "contact.png: contact: A and B touch, but do not overlap; "
expect 1 draw box.obj small.obj -o inside.png
tells "inside.png: clash: B is inside A; 0 pairs of triangles meet"
expect 1 draw open.obj small.obj -o maybe.png
tells "probably inside: "
expect 0 draw box.obj small.obj --pose-b "$(at 5 0 0)" -o clear.png
tells "clear.png: clear; 0 pairs of triangles meet"
expect 1 draw box.obj box.obj --pose-b "$(at 1 1 1)" -o clash.png
tells "clash.png: clash: A and B overlap; "

# ---- the demo ----
expect 0 demo -o shown
says "housing        bolt-4         clash           overlapping"
says "base           housing        contact         touching"
says "counterweight  insert         clash           b_inside_a"
cases=$((cases + 1))
grep -q '"finding": "contact"' shown/report.json || complain "report.json has no contact"
finish
