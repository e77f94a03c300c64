#!/usr/bin/env bash
# manual.sh TOOL: help, the manual and the completion of shells come from the same tables; mistyped words are guessed.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1
expect 0 --help
commands=$(sed -n 's/^  \([a-z]*\) .*/\1/p' .out)
holds "$(wc -w <<<"$commands")" -ge 10

# ---- help in both orders ----
for command in $commands; do
    expect 0 help "$command"
    cp .out help
    expect 0 "$command" --help
    holds "$(cksum <.out)" = "$(cksum <help)"
done
expect 0 help bench parallel
says "usage: carom bench parallel"

# ---- the manual has every command and every option ----
expect 0 man
cp .out manual
sed 's/\\-/-/g; s/\\fI\([^\\]*\)\\fR/\1/g' manual >plain
for command in $commands "bench parallel"; do
    # shellcheck disable=SC2086
    expect 0 $command --help
    cases=$((cases + 1))
    grep -qF ".SS \"carom $command\"" plain || complain "the manual lacks $command"
    sed -n "/^\.SS \"carom $command\"/,/^\.SS/p" plain >section
    for option in $(sed -n 's/^  \(--*[a-z-]*\) .*/\1/p' .out); do
        [ "$option" = --help ] && continue
        cases=$((cases + 1))
        grep -qE "^\.B $option( |\$)" section || complain "the manual lacks $option of $command"
    done
done
# commands of two words that the help names are in the manual, too
expect 0 bench --help
for below in $(grep -o 'carom bench [a-z]*' .out | cut -d' ' -f3 | sort -u); do
    cases=$((cases + 1))
    grep -qF ".SS \"carom bench $below\"" plain || complain "the manual lacks bench $below: tool/main.c, below"
done
if command -v groff >/dev/null; then
    groff -man -Tutf8 -ww -z manual >.out 2>.err
    holds ! -s .err
fi

# ---- completion ----
for shell in bash zsh fish; do
    expect 0 completion $shell
    cp .out complete.$shell
done
expect 2 completion
expect 2 completion tcsh
tells "'tcsh'"
# shellcheck disable=SC1091
. ./complete.bash
completes() { # WANTED WORD...: completing the last word proposes WANTED, among others
    cases=$((cases + 1))
    COMP_WORDS=(carom "${@:2}") COMP_CWORD=$(($# - 1)) COMPREPLY=()
    _carom 2>/dev/null
    last="completion of carom ${*:2}" 
    : >.out; : >.err
    printf '%s\n' "${COMPREPLY[@]}" | grep -qxF -- "$1" || complain "$last: no $1 in ${COMPREPLY[*]}"
}
touch model.stl
completes check ch
completes help ""
completes check help che
completes --clearance check model.stl --cl
completes --help check --h
completes mm check --unit ""
completes torus-knot gen tor
completes gears sim ge
completes sweep3 sim gears --broad sw
completes parallel bench par
completes --tasks-at-once bench parallel --tas
completes model.stl check mo
completes model.stl sim gears --picture mo
completes fish completion fi
COMP_WORDS=(carom check --seconds "") COMP_CWORD=3
_carom 2>/dev/null
holds "${#COMPREPLY[@]}" = 0
if command -v zsh >/dev/null; then
    zsh -n complete.zsh
    holds $? = 0
fi
if command -v fish >/dev/null; then
    fish --no-execute complete.fish
    holds $? = 0
fi

# ---- mistyped words ----
expect 2 chekc
tells "did you mean 'check'?"
expect 2 help vrify
tells "did you mean 'verify'?"
expect 2 xyzzy
cases=$((cases + 1))
! grep -q "did you mean" .err || complain "xyzzy is near nothing"
expect 2 check --clearence 5 a b
tells "did you mean '--clearance'?"
expect 2 info --part a
tells "did you mean '--parts'?"
expect 2 gen --treads a
expect 2 info --treads 2 a
tells "did you mean '--threads'?"
expect 2 check a b --volume odb
tells "did you mean 'obb'?"
expect 2 bench tsgoo
tells "did you mean 'tsgo'?"
expect 2 bench streem
tells "did you mean 'stream'?"
expect 2 bench xyzzy
tells "two files or none"
# the example of a pose in the help, word for word
expect 0 gen box --triangles 12 --size 2 -o box.obj
expect 0 check --help
pose=$(grep -o -- '--pose "2=[^"]*"' .out)
holds -n "$pose"
last="carom check box.obj box.obj $pose --distance"
cases=$((cases + 1))
eval "$(printf '%q' "$carom") check box.obj box.obj $pose --distance" >.out 2>.err || complain "$last: exit code"
says "distance  1 "
expect 2 gen torus-not -o x.stl
tells "did you mean 'torus-knot'?"
expect 2 $'esc\033[2J'
tells 'esc\x1b[2J'
finish
