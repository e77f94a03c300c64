#!/usr/bin/env bash
# verify.sh TOOL: carom verify meshmesh compares distances, whatever the method: small ones, large ones and infinity.
. "$(dirname "$0")/harness.bash"
cd "$folder" || exit 1

expect 0 gen box --triangles 12 --size 2 -o env_q.obj
expect 0 gen box --triangles 12 --size 2 -o rob_q.obj
none=14650fb0739d0383 # the hash of no pairs
poses() { # DISTANCE: of boxes from -1 to 1, the second moved by (5, 0, 0)
    echo "1 0 0 0 1 0 0 0 1 5 0 0 0 $1 $none" >poses.txt
}
for method in "" "--tree tight" "--volume all" "--engine all"; do
    poses 3
    # shellcheck disable=SC2086
    expect 0 verify meshmesh poses.txt $method
    says " 0 wrong"
    cases=$((cases + 1))
    grep -q '^[1-9]' .out || complain "$last: no case"
    for wrong in inf 3.00000001 2.99999999 0 1e300; do
        poses $wrong
        # shellcheck disable=SC2086
        expect 1 verify meshmesh poses.txt $method
        says "distance 3"
        holds "$(tail -1 .out | cut -d' ' -f1)" = "$(tail -1 .out | cut -d' ' -f3)" # every case is wrong
    done
done

for bad in -3 nan -inf x; do
    poses $bad
    expect 2 verify meshmesh poses.txt
    tells "line 1 is not a pose, a count, a distance and a hash"
done

# nothing is as far as an empty model
printf 'v 0 0 0\n' >rob_q.obj
for method in "" "--engine all"; do
    poses inf
    # shellcheck disable=SC2086
    expect 0 verify meshmesh poses.txt $method
    says " 0 wrong"
    poses 3
    # shellcheck disable=SC2086
    expect 1 verify meshmesh poses.txt $method
    says "distance inf"
done
finish
