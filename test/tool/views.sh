#!/usr/bin/env bash
# views.sh TOOL: engines that look at images. `carom check --picture`, what sampled engines may miss, `carom bench image`.
. "$(dirname "$0")/harness.bash"
here=$(cd "$(dirname "$0")" && pwd)
cd "$folder" || exit 1

expect 0 gen torus --triangles 600 -o a.obj
expect 0 gen hand --triangles 1000 -o b.obj

# ---- refusals, without a driver ----
expect 2 check a.obj b.obj --picture views
tells "a search in trees keeps no images"
expect 2 check a.obj b.obj --engine shinya --picture views
tells "engine shinya keeps no images"
expect 2 check a.obj b.obj --engine image --parts --picture views
tells "two files"
expect 2 check a.obj b.obj --engine image --image-side 5000
tells "--image-side 5000"
expect 2 check a.obj b.obj --engine image --image-accuracy 0.1
tells "--image-accuracy needs an engine that may miss something"
expect 2 check a.obj b.obj --image-accuracy 0.1
expect 2 check a.obj b.obj --engine recode --image-accuracy nonsense
tells "--image-accuracy"
expect 2 check a.obj b.obj --engine recode --image-accuracy 0
tells "--image-accuracy: '0' is no size"
holds ! -e views
# without time for anything: a report and an empty list, not an error
expect 2 check a.obj b.obj --engine image --picture late --seconds 1e-9 -o late.txt
tells "not decided within 1e-09 seconds"
holds "$(grep -c "^verdict   unknown" late.txt)" = 1
holds "$(grep -c '"count": 0' late/index.json)" = 1
for wrong in "--scene 3" "--sizes 0" "--sizes 6" "--steps 1" "--steps 1001" "--repeats 0" "--side 4097" "--pairs 0"; do
    expect 2 bench image $wrong
    tells "${wrong% *}"
done
expect 2 bench image a.obj
tells a.obj
expect 0 bench image --help
says "usage: carom bench image [options]"
CAROM_GPU=off expect 2 bench image --quick
tells CAROM_GPU

"$carom" gpu >.out 2>.err
if [ $? = 3 ]; then
    echo "no graphics driver: $(cat .err)"
    finish || exit 1
    exit 77
fi

# ---- pictures ----
pose="0.35 0.1 0.1"
for engine in image image-sampled recode; do
    expect 1 check a.obj b.obj --pose-b "$pose" --engine $engine --image-side 32 --picture "$engine/views" --max-pictures 3
    tells "3 of them as pictures"
    holds "$(ls "$engine"/views/*.png | wc -l)" = 3
    python3 - "$engine" <<'END' || complain "$last: files"
import json, math, struct, sys, zlib
folder = sys.argv[1] + "/views/"

def read_png(path):
    """Rows of RGB: of files with 8 bits per channel, as the tool writes them."""
    data, width, packed, at = open(path, "rb").read(), 0, b"", 8
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, _, depth, colour = struct.unpack(">IIBB", data[at + 8:at + 18])
            assert depth == 8 and colour == 2
        packed += data[at + 8:at + 8 + size] if kind == b"IDAT" else b""
        at += 12 + size
    raw, stride, rows = zlib.decompress(packed), 3 * width, [bytes(3 * width)]
    for start in range(0, len(raw), stride + 1):
        row, above, kind = bytearray(raw[start + 1:start + 1 + stride]), rows[-1], raw[start]
        for k in range(stride):
            left, corner = (row[k - 3], above[k - 3]) if k > 2 else (0, 0)
            guess = left + above[k] - corner
            paeth = min((left, above[k], corner), key=lambda value: abs(guess - value))
            row[k] = (row[k] + (0, left, above[k], (left + above[k]) // 2, paeth)[kind]) & 255
        rows.append(bytes(row))
    return rows[1:]

index = json.load(open(folder + "index.json"))
assert index["engine"] == sys.argv[1] and index["count"] == len(index["images"]) > 3
assert {i["verdict"] for i in index["images"]} == {"meets", "apart"}
for image in index["images"]:
    assert ("picture" in image) == (image["image"] <= 3)
    assert (image["sampled_size"] > 0) == (sys.argv[1] != "image")
    if "picture" not in image:
        continue
    assert open(folder + image["picture"], "rb").read(4) == b"\x89PNG"
    layers = {}
    for name, file in image["layers"].items():
        head, size, scale, data = open(folder + file, "rb").read().split(b"\n", 3)
        assert head == b"Pf" and size == b"32 32" and scale == b"-1.0" and len(data) == 4 * 32 * 32
        layers[name] = struct.unpack("<1024f", data)
    if sys.argv[1] == "image":
        meets = any(layers["a-far"][i] >= layers["b-near"][i] and layers["b-far"][i] >= layers["a-near"][i] for i in range(1024))
    else:
        first, second = layers["a-stencil"], layers.get("b-stencil", [0] * 1024)
        meets = any(first[i] == 2 or second[i] == 2 or first[i] == second[i] == 3 for i in range(1024))
    assert meets == (image["verdict"] == "meets")
    # What is drawn of a body is within its projection, but for a pixel: rows go up, columns to the right.
    view = image["view"]
    for body, file, move in (("a", "a.obj", (0, 0, 0)), ("b", "b.obj", (0.35, 0.1, 0.1))):
        drawn = [i for name in layers if name.startswith(body) and name.split("-")[1] in ("near", "front")
                 for i in range(1024) if not math.isnan(layers[name][i])]
        seen = [[sum(axis[k] * (p[k] + move[k] - view["centre"][k]) for k in range(3)) for axis in (view["right"], view["up"])]
                for p in (list(map(float, line.split()[1:4])) for line in open(file) if line.startswith("v "))]
        at = [[view["low"][k] + ((i % 32, i // 32)[k] + 0.5) * view["pixel"][k] for k in (0, 1)] for i in drawn]
        for turn in range(32):
            way = (math.cos(turn * math.pi / 16), math.sin(turn * math.pi / 16))
            reach = max(way[0] * p[0] + way[1] * p[1] for p in seen) + sum(view["pixel"])
            assert all(way[0] * p[0] + way[1] * p[1] <= reach for p in at), (body, image["image"], turn)
    # A picture shows the first layer on the left, its first row at the bottom.
    rows = read_png(folder + image["picture"])
    for i, value in enumerate(layers[list(image["layers"])[0]]):
        pixel = rows[24 + (31 - i // 32) * 8 + 4][3 * (8 + i % 32 * 8 + 4):][:3]
        assert (pixel == b"\x1b\x2a\x41") == math.isnan(value)
END
done
expect 2 check a.obj b.obj --engine image --picture a.obj
tells a.obj

# ---- what may be missed ----
expect 1 check a.obj b.obj --pose-b "$pose" --engine image-sampled --unit mm
says "may have been missed"
says "mm may"
expect 1 check a.obj b.obj --pose-b "$pose" --engine image
holds "$(grep -c sampled .out)" = 0
expect 1 check a.obj b.obj a.obj --pose-b "$pose" --engine image-sampled --json -o report.json
python3 "$here/validate.py" "$here/../../docs/check.schema.json" report.json || complain "$last: the schema"
holds "$(grep -c '"sampled_size": 0.0[0-9]' report.json)" -ge 2

# As many pixels as it takes, in the unit of the scene, of two files and of many; or fewer, and then the answer says so.
size_stated() { python3 -c 'import json; print(json.load(open("report.json"))["counters"]["sampled_size"])'; }
at_most() { python3 -c "import sys; sys.exit(not 0 < $1 <= $2)" || complain "$last: $1 is above $2"; }
for engine in image-sampled recode; do
    for files in "a.obj b.obj" "a.obj b.obj a.obj"; do
        expect 1 check $files --pose-b "$pose" --engine $engine --unit m --image-accuracy 20mm --json -o report.json
        at_most "$(size_stated)" 0.02
        expect 1 check $files --pose-b "$pose" --engine $engine --unit m --image-accuracy 20mm --image-side 2 \
            --json -o report.json
        at_most 0.02001 "$(size_stated)"
    done
done

# ---- the experiment ----
mkdir plots
expect 0 bench image --sizes 1 --steps 4 --certified --plot plots
says "Scene 1, figure 2-17"
says "Scene 2, figures 2-18 and 2-19"
says "figure 2-20: standard deviation of eta"
says "IBCD is much faster than RECODE on scene 2"
holds "$(grep -c 'ANSWERS DIFFER' .out)" = 0
# four steps are spread over the whole motion, where bodies meet; and certified images are drawn, if they have to be
holds "$(awk '/figure 2-17/ { found = NR } found && NR == found + 2 { print $2 }' .out)" -ge 100
holds "$(awk '$2 == "certified," && $5 > 0 && $9 > 0' .out | wc -l)" = 2
for plot in 2-17 2-18 2-19 2-20 2-19-scene-1 2-20-scene-1; do
    holds "$(head -c 4 plots/figure-$plot.png | tail -c 3)" = PNG
done
expect 0 bench image --scene 2 --sizes 1 --steps 4 --all --json
says '"answers_equal": true'
says '"all_pairs": true'
says '"eta_deviation"'
holds "$(grep -c 'certified, always' .out)" = 0
expect 0 bench image --misses --pairs 300 --plot plots
says "300 pairs of hulls"
says " 0 of them missed"
holds "$(head -c 4 plots/misses.png | tail -c 3)" = PNG
expect 2 bench image --scene 2 --sizes 1 --steps 2 --plot nowhere
tells nowhere
finish
