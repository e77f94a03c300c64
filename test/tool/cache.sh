#!/usr/bin/env bash
# cache.sh TOOL: check --cache: the same answers from damaged, foreign and huge files; a limit; signals; progress.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1
expect 0 gen blob --triangles 20000 -o a.stl
expect 0 gen blob --triangles 20000 --seed 2 -o b.stl
expect 0 gen blob --triangles 30000 --seed 3 -o c.stl
answer() { grep -E '^(relation|verdict|pairs|hash)' .out; }
expect 1 check a.stl b.stl
truth=$(answer)

# ---- the same answer, whatever is in the folder ----
for harm in none none 'truncate -s 200 FILE' 'truncate -s 0 FILE' 'truncate -s 4T FILE' 'cp a.stl FILE' \
    'printf damage | dd of=FILE bs=1 seek=5000 conv=notrunc' 'chmod 000 FILE' 'rm FILE && mkdir FILE' \
    'rmdir FILE && ln -s /dev/zero FILE' 'rm FILE && ln -s FILE FILE' 'rm FILE && mkfifo FILE'; do
    for file in trees/*; do
        [ "$harm" = none ] || eval "${harm//FILE/\"\$file\"}" 2>/dev/null
    done
    expect 1 check a.stl b.stl --cache trees
    holds "$(answer)" = "$truth"
done
rm -rf trees

# ---- a limit: what was used longest ago goes first, and only trees ----
mkdir trees
echo mine >trees/0123456789abcdef.carom
echo mine >trees/notes.txt
expect 1 check a.stl b.stl --cache trees
holds "$(find trees -name '*.carom' | wc -l)" = 3
find trees -name '*.carom' -size +1k -exec touch -d '2 hours ago' {} +
size=$(du -cb trees/*.carom | tail -1 | cut -f1)
expect 1 check a.stl a.stl --cache trees # is used now
expect 1 check a.stl c.stl --cache trees --cache-size $((size / 1048576 + 1))
holds -e trees/notes.txt
holds "$(cat trees/0123456789abcdef.carom)" = mine
holds "$(du -cb trees/*.carom | tail -1 | cut -f1)" -le $(((size / 1048576 + 1) * 1048576))
holds "$(find trees -name '*.carom' -mmin +60 | wc -l)" = 0
expect 1 check a.stl b.stl --cache trees --cache-size 0
holds "$(answer)" = "$truth"
holds "$(ls trees | tr '\n' ' ')" = "0123456789abcdef.carom notes.txt "
expect 2 check a.stl b.stl --cache trees --cache-size -1
tells "--cache-size"
# no folder: said, and checked without
expect 1 check a.stl b.stl --cache a.stl
tells "a.stl can't be listed"
holds "$(answer)" = "$truth"

# ---- a signal while trees are stored leaves no half of one ----
expect 0 gen blob --triangles 300000 -o large.stl
for delay in 0.2 0.4 0.6 0.8 1.2; do
    rm -rf trees
    timeout --foreground -s INT $delay "$carom" check large.stl a.stl --cache trees >.out 2>.err
    last="SIGINT after $delay s"
    holds -z "$(find trees -name '*.part' 2>/dev/null)"
done

# ---- progress on a terminal: all files together, up to the end ----
if command -v script >/dev/null; then
    expect 0 gen blob --triangles 1200000 -o larger.stl
    TERM=xterm script -qec "'$carom' check larger.stl large.stl --threads 1" .terminal >.out 2>.err
    last="check on a terminal"
    says "% of 2 files: "
    says "building the tree of"
    says "s left"
fi

finish
