#!/usr/bin/env bash
# gpu.sh TOOL: which graphics driver there is, why there is none, and its comparison with the processor.
. "$(dirname "$0")/harness.bash"

expect 2 gpu model.obj
tells "'model.obj'"

# ---- nothing, and why ----
export CAROM_GPU=off
expect 3 gpu
tells "CAROM_GPU=off"
holds ! -s "$folder/.out"
expect 3 gpu --selftest
tells "CAROM_GPU=off"
expect 3 gpu --json --selftest
says '"available": false'
says '"reason": "'
python3 -m json.tool "$folder/.out" >/dev/null || complain "not JSON"
unset CAROM_GPU

# ---- a driver ----
"$carom" gpu >"$folder/.out" 2>"$folder/.err"
if [ $? = 3 ]; then
    echo "no graphics driver: $(cat "$folder/.err")"
    finish || exit 1
    exit 77
fi
expect 0 gpu
for word in platform EGL vendor OpenGL GLSL "drawn by" images shaders blocks; do says "  $word "; done
expect 0 gpu --json
says '"available": true'
python3 - "$folder/.out" <<'PY' || complain "the JSON of carom gpu is not as expected"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["platform"] in ("surfaceless", "device", "display")
assert found["renderer"] and found["version"] and found["glsl"] and found["egl"]
assert found["limits"]["texture_size"] >= 16384 and found["limits"]["attributes"] >= 16
assert "checks" not in found
kinds = [device["kind"] for device in found["compute"]]
assert kinds[-2:] == ["opengl", "processor"] and set(kinds[:-2]) <= {"opencl"}, kinds
for device in found["compute"]:
    assert device["name"] and device["group_size"] > 0 and device["local_memory"] >= 32768, device
PY
expect 0 gpu --selftest
for check in clear fetch coverage depth stencil blend queries; do says "  $check "; done
holds "$(grep -c 'passed  [0-9,]* compared' "$folder/.out")" -ge 13
# kernels: on OpenCL if it is there, and on compute shaders
for check in arithmetic append frontier mipmap; do says "  opengl $check "; done
holds "$(grep -c '^  opengl frontier *passed  [0-9,]\{3,\} compared' "$folder/.out")" = 1
holds "$(grep -c '^  opengl mipmap *passed  [0-9,]\{3,\} compared' "$folder/.out")" = 1
expect 0 gpu --selftest --json
python3 - "$folder/.out" <<'PY' || complain "the JSON of carom gpu --selftest is not as expected"
import json, sys
found = json.load(open(sys.argv[1]))
assert found["passed"] is True and len(found["checks"]) >= 13
for check in found["checks"]:
    assert check["passed"] and check["status"] == "OK" and check["compared"] > 0, check
    assert check["difference"] <= check["bound"], check
PY

# ---- no OpenCL, and what chooses another device ----
expect 0 gen box --triangles 12 -o "$folder/box.stl"
export OCL_ICD_VENDORS=/nowhere
CAROM_COMPUTE=opencl expect 2 check "$folder/box.stl" "$folder/box.stl" --engine stream
tells "OpenCL"
for kind in auto opengl processor; do
    CAROM_COMPUTE=$kind expect 1 check "$folder/box.stl" "$folder/box.stl" --engine stream
    says "equal"
done
unset OCL_ICD_VENDORS

# ---- an unknown word is ignored, and says so ----
export CAROM_GPU=card
expect 0 gpu
tells "CAROM_GPU=card"

# ---- a driver that is too old: Mesa pretends to be ----
unset CAROM_GPU
if "$carom" gpu | grep -q Mesa; then
    export MESA_GL_VERSION_OVERRIDE=3.0 MESA_GLSL_VERSION_OVERRIDE=130
    expect 3 gpu
    tells "OpenGL 4.5"
    unset MESA_GL_VERSION_OVERRIDE MESA_GLSL_VERSION_OVERRIDE
fi
finish
