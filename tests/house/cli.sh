#!/bin/sh
# Wrong use of the command: exit status 2 for a wrong command line, 1 for a job that cannot
# be done; always one message that names what is wrong, never a signal.
# usage: cli.sh HASTEN SOURCE_DIR PYTHON
set -u
hasten=$1
model=$2/models/strip/strip.onnx
photo=$2/models/strip/photos/strip_crack.jpg
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# expect STATUS TEXT ARGUMENTS...: the exit status, and a text that stderr must hold.
expect() {
    wanted=$1 text=$2
    shift 2
    timeout 20 "$hasten" "$@" >out 2>err
    got=$?
    if [ $got != "$wanted" ] || ! grep -qF -e "$text" err; then
        echo "hasten $*: status $got (wanted $wanted), message (wanted '$text'):"
        cat err
        failed=1
    fi
}

expect 2 "there is no command 'walk'" walk
expect 2 "MODEL is missing" run
expect 2 "is missing" run "$model"
expect 2 "'--nosuch'" run "$model" "$photo" --nosuch
expect 2 "'--count' is not an option here" run "$model" "$photo" --count 3
expect 2 "--size '0x0'" run "$model" "$photo" --size 0x0
expect 1 "is not in 1..16384" run "$model" "$photo" --size 99999999x1
for n in 0 -1 100000 2x ''; do expect 2 "--threads '$n'" run "$model" "$photo" --threads "$n"; done
expect 2 "CPU level 'foo'" run "$model" "$photo" --cpu foo
expect 2 "--mean 'nan'" run "$model" "$photo" --mean nan
expect 1 "std 0 is not positive" run "$model" "$photo" --std 0
expect 2 "--count '0'" bench "$model" --count 0
expect 2 "--count '99999999999999999999'" bench "$model" --count 99999999999999999999
for d in 0s 1e400s 5 -1s; do expect 2 "--duration '$d'" bench "$model" --duration "$d"; done
expect 2 "--shape" bench "$model" --shape image
expect 2 "--shape" bench "$model" --shape image=1,2,3,4,5,6,7,8,9,10,11
expect 1 "'foo', which is not an input" bench "$model" --shape foo=1
expect 1 "/nonexist/m.onnx" run /nonexist/m.onnx "$photo"
expect 1 "/nonexist/p.jpg" run "$model" /nonexist/p.jpg
expect 1 "is a directory" run . "$photo"
expect 1 "not a regular file" run "$model" .
expect 1 "not a regular file" run /dev/zero "$photo"
expect 1 "not a regular file" run "$model" /dev/zero
expect 1 "not a regular file" run "$model" "$photo" --manifest /dev/null
expect 1 "/nonexist/x.jpg" run "$model" "$photo" --draw /nonexist/x.jpg
expect 1 "no input of this name" run "$model" --input nosuch=x.npy
mkfifo pipe
expect 1 "not a regular file" run pipe "$photo"
expect 1 "not a regular file" run "$model" pipe

# More memory than there can be: an error, at once.
for d in 1,3,999999,999999 99999999,3,224,224 2147483647,2147483647,2147483647,2147483647; do
    expect 1 "" bench "$model" --count 1 --shape "image=$d"
done

# Files cut short.
: >empty
expect 1 "empty" run empty "$photo"
expect 1 "empty" run "$model" empty
for n in 1 100 10000 700000; do
    head -c $n "$model" >cut.onnx
    expect 1 "cut.onnx" run cut.onnx "$photo"
done
for n in 1 2 100 1000; do
    head -c $n "$photo" >cut.jpg
    expect 1 "cut.jpg" run "$model" cut.jpg
done

# A manifest that does not fit.
for text in '' '[' '{}' '{"schema":1}' '{"schema":"hasten-manifest-1","nosuch":1}' \
    '{"schema":"hasten-manifest-1","size":"big"}'; do
    printf '%s' "$text" >m.json
    expect 1 "m.json" run "$model" "$photo" --manifest m.json
done

# Nobody listens.
"$hasten" inspect "$model" >&- 2>err && echo "closed stdout is no error" && failed=1
"$hasten" inspect "$model" >/dev/full 2>err && echo "a full disk is no error" && failed=1
"$hasten" inspect "$model" 2>err | head -n 1 >out
grep -q '^model' out || { echo "first line through a pipe: $(cat out)"; failed=1; }

# What must work: help for each command, with an example; JSON that is JSON.
for command in run profile bench inspect doctor; do
    "$hasten" $command --help >out 2>err || { echo "$command --help fails"; failed=1; }
    grep -q "hasten $command" out || { echo "$command --help has no example"; failed=1; }
done
for line in "run $model $photo" "profile $model $photo" "bench $model --count 20" \
    "inspect $model"; do
    # shellcheck disable=SC2086
    "$hasten" $line --json >out 2>err || { echo "hasten $line --json: $(cat err)"; failed=1; }
    if [ -n "${3-}" ]; then
        "$3" -c 'import json, sys; json.load(open("out", encoding="utf-8"))' ||
            { echo "hasten $line --json is no JSON"; failed=1; }
    fi
done
exit $failed
