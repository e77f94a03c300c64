#!/usr/bin/env bash
# poses.sh TOOL: turns by right angles are exact in every form in which a pose is given, others as near as rounding
# allows, and boxes that are turned so touch where they should.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1
expect 0 gen box --triangles 12 --size 1 -o box.obj

# ---- all turns of a cube, from both of their quaternions, in all forms; the wanted rotations go into a file ----
awk 'function add(pose) {
        printf("%s{\"file\": \"box.obj\", \"pose\": %s}", count++ ? ", " : "{\"files\": [", pose)
        print rotation >"wanted"
    }
    function at() { return 9 * count " 2 3" }
    function translation() { return "[" 9 * count ", 2, 3]" }
    function times(factor, a, b, c) { return sprintf("%.17g, %.17g, %.17g", factor * a, factor * b, factor * c) }
    BEGIN {
        quaternion_factors = split("1 3 0.1 1e300 1e-300", length_of_quaternion)
        axis_factors = split("1 7 0.1 1e300 1e-300", length_of_axis)
        rounds = split("0 360 -360 -720000", around)
        for (code = 0; code < 81; code++) {
            x = code % 3 - 1; y = int(code / 3) % 3 - 1; z = int(code / 9) % 3 - 1; w = int(code / 27) % 3 - 1
            n = x * x + y * y + z * z + w * w
            if (n == 0 || n == 3) continue
            rotation = (w * w + x * x - y * y - z * z) / n " " 2 * (x * y - z * w) / n " " 2 * (x * z + y * w) / n
            rotation = rotation " " 2 * (x * y + z * w) / n " " (w * w + y * y - x * x - z * z) / n
            rotation = rotation " " 2 * (y * z - x * w) / n " " 2 * (x * z - y * w) / n
            rotation = rotation " " 2 * (y * z + x * w) / n " " (w * w + z * z - x * x - y * y) / n
            for (i = 1; i <= quaternion_factors; i++) {
                numbers = times(length_of_quaternion[i], x, y, z) sprintf(", %.17g", length_of_quaternion[i] * w)
                add("\"" at() " " numbers "\"")
                add("[" 9 * count ", 2, 3, " numbers "]")
                add("{\"translation\": " translation() ", \"quaternion\": [" numbers "]}")
            }
            degrees = n == 4 ? 180 - 60 * w : n == 2 ? 180 - 90 * w : w == 0 ? 180 : 0
            for (i = 1; i <= axis_factors; i++)
                for (k = 1; k <= rounds; k++) {
                    numbers = times(length_of_axis[i], x, y, degrees == 0 ? 1 : z)
                    add("\"axis " numbers " " degrees + around[k] " at " at() "\"")
                    add("{\"axis\": [" numbers "], \"degrees\": " degrees + around[k] ", \"translation\": " translation() "}")
                }
        }
        print "]}"
    }' >turns.json
expect 0 check turns.json --json
sed -n 's/.*"pose": \[\(.*\), [0-9.e+]*, 2.0, 3.0\].*/\1/p' .out | sed 's/\.0\>//g; s/-0\>/0/g; s/,//g' >found
sed 's/-0\>/0/g' wanted >exact
holds "$(wc -l <exact)" = $((48 * (15 + 40)))
holds "$(wc -l <found)" = "$(wc -l <exact)"
holds "$(cksum <found)" = "$(cksum <exact)"

# ---- boxes that are turned touch, whatever the form ----
for pose in "axis 0 0 1 90 at 1 0 0" "1 0 0 0 0 1 1" "axis 0 0 1 270 at 1 0 0" "axis 0 0 1 -90 at 1 1 0" \
    "axis 1 1 1 120 at 1 0 0" "axis -0.3 0.3 0.3 240 at 1 1 1" "axis 0 5 5 180 at 0 0 1"; do
    expect 0 check box.obj box.obj --pose-b "$pose"
    says "relation  touching"
done

# ---- a body of a list that is turned in each step: after four quarters it is where it was ----
cat >turning.json <<'END'
{"steps": 9, "files": [{"file": "box.obj"},
  {"file": "box.obj", "pose": [1, 0, 0], "axis": [0, 0, 1], "turns": 0.25}]}
END
expect 0 sim turning.json --json
holds "$(grep -o '"hash": "[0-9a-f]*"' .out | awk 'NR % 4 == 1' | sort -u | wc -l)" = 1
holds "$(grep -c "\"step\": .*\"body_pairs\": 1," .out)" = 9
# so many turns that those of all steps overflow: whole ones
sed 's/0\.25/4e307/' turning.json >whole.json
expect 0 sim whole.json --json
holds "$(grep -o '"hash": "[0-9a-f]*"' .out | sort -u | wc -l)" = 1

# ---- other turns: a few roundings, by arithmetic with 60 digits ----
if command -v python3 >/dev/null; then
    cat >near.py <<'END'
import json, random, subprocess, sys
from decimal import Decimal, getcontext
getcontext().prec = 60
PI = Decimal("3.14159265358979323846264338327950288419716939937510582097494459")

def sine_and_cosine(degrees):
    x = Decimal(degrees) % 360 * PI / 180
    sums, term = [Decimal(0), Decimal(0)], Decimal(1)
    for k in range(1, 90):
        sums[k % 2] += term if (k - 1) % 4 < 2 else -term
        term = term * x / k
    return sums[0], sums[1]

def rotation(axis, degrees):
    x, y, z = map(Decimal, axis)
    length = (x * x + y * y + z * z).sqrt()
    x, y, z = x / length, y / length, z / length
    s, c = sine_and_cosine(degrees)
    t = 1 - c
    return [t * x * x + c, t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c, t * y * z - s * x,
            t * x * z - s * y, t * y * z + s * x, t * z * z + c]

random.seed(9)
turns = [([random.uniform(-1, 1) for _ in range(3)],
          random.choice([random.uniform(-360, 360), random.uniform(-1e5, 1e5), 15 * random.randint(-30, 30)]))
         for _ in range(400)]
files = [{"file": "box.obj", "pose": {"axis": axis, "degrees": degrees, "translation": [9 * i, 0, 0]}}
         for i, (axis, degrees) in enumerate(turns)]
json.dump({"files": files}, open("near.json", "w"))
out = subprocess.run([sys.argv[1], "check", "near.json", "--json"], stdout=subprocess.PIPE).stdout
errors = [max(abs(Decimal(a) - b) for a, b in zip(model["pose"][:9], rotation(*turn)))
          for model, turn in zip(json.loads(out)["models"], turns)]
unit = Decimal(2) ** -53
print("entries err by %.2f roundings on average, %.2f at most" % (sum(errors) / len(errors) / unit, max(errors) / unit))
assert len(errors) == 400 and max(errors) < 5 * unit and sum(errors) / len(errors) / unit < 1.6
END
    cases=$((cases + 1))
    python3 near.py "$carom" >.python 2>&1 || complain "turns by any angle: $(tail -2 .python)"
    tail -1 .python
else
    echo "SKIPPED: turns by any angle: python3 is absent"
fi
finish
