# harness.bash TOOL: what the tool's tests share. Sets carom, folder (removed at the end) and the functions below.
set -u
carom=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cases=0 failed=0
unset NO_COLOR
# under the thread sanitizer: graphics drivers are not instrumented, so what orders their threads is not seen
export TSAN_OPTIONS="${TSAN_OPTIONS:+$TSAN_OPTIONS }ignore_noninstrumented_modules=1"

complain() {
    failed=$((failed + 1))
    printf 'FAILED: %s\n' "$1"
    printf '  stdout: %s\n' "$(head -c 400 "$folder/.out")"
    printf '  stderr: %s\n' "$(head -c 400 "$folder/.err")"
}

# expect CODE ARGUMENT...: runs the tool, compares its exit code. Its output stays for says and tells.
expect() {
    local wanted=$1 code
    shift
    last="carom $*"
    cases=$((cases + 1))
    timeout 120 "$carom" "$@" >"$folder/.out" 2>"$folder/.err"
    code=$?
    [ "$code" = "$wanted" ] || complain "$last: exit code $code instead of $wanted"
}

# says TEXT: stdout of the last run has it.
says() {
    cases=$((cases + 1))
    grep -qF -- "$1" "$folder/.out" || complain "$last: stdout lacks '$1'"
}

# tells TEXT: stderr of the last run has it.
tells() {
    cases=$((cases + 1))
    grep -qF -- "$1" "$folder/.err" || complain "$last: stderr lacks '$1'"
}

# holds CONDITION...: a test command.
holds() {
    cases=$((cases + 1))
    test "$@" || complain "after $last: test $* is false"
}

finish() {
    echo "$cases checks, $failed failed"
    [ "$cases" -gt 0 ] && [ "$failed" = 0 ]
}
