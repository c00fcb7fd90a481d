#!/bin/sh
# Wrong use of the command: exit status 2 for a command line that is wrong whatever the
# files hold, 1 for a job that cannot be done; always one message that names what is wrong,
# never a signal, never more than 10 s or 2 GB.
# usage: cli.sh HASTEN SOURCE_DIR SANITIZERS PYTHON
set -u
hasten=$1
model=$2/models/strip/strip.onnx
photo=$2/models/strip/photos/strip_crack.jpg
golden=$2/tests/golden
source=$2
sanitizers=$3
python=${4:-}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
failed=0

# The command within its bounds; a sanitizer's shadow memory is beyond any.
bounded() {
    if [ -n "$sanitizers" ]; then
        timeout 60 "$hasten" "$@"
    else
        (ulimit -v 2000000 && exec timeout 10 "$hasten" "$@")
    fi
}

complain() {
    echo "$*"
    failed=1
}

# steady FILE: well-formed UTF-8 without control characters but tabs and line ends, and
# without a right-to-left override.
steady() {
    if ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1 ||
        tr -d '\n\t' <"$1" | LC_ALL=C grep -q '[[:cntrl:]]' ||
        LC_ALL=C grep -q "$(printf '\302[\200-\237]\|\342\200\256')" "$1"; then
        complain "$1 could steer a terminal or is not UTF-8: $(od -c "$1" | head -5)"
    fi
}

# json FILE: is it JSON?
json() {
    [ -z "$python" ] || "$python" -c '
import json, sys
json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))' "$1" ||
        complain "$1 is no JSON: $(head -c 200 "$1")"
}

# expect STATUS TEXT ARGUMENTS...: the exit status, and a text that stderr must hold.
expect() {
    wanted=$1 text=$2
    shift 2
    bounded "$@" >out 2>err
    got=$?
    steady err
    if [ $got != "$wanted" ] || { [ -n "$text" ] && ! grep -qF -e "$text" err; }; then
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
for s in 224 1x 224x224x -1x5 65536x65536 99999999999x9; do
    expect 2 "--size '$s': WIDTHxHEIGHT" run "$model" "$photo" --size $s
done
expect 2 "'-Z' is not an option here" run "$model" "$photo" -jZ
expect 2 "'-d' is not an option here" inspect -dash.onnx
expect 2 "'--json=1' is not an option here" inspect "$model" --json=1
expect 2 "--threads needs a value" run "$model" "$photo" --threads
expect 2 "there is no command" "$(printf 'w\033[31m\302\233\377')"
for n in 0 -1 100000 2x ''; do expect 2 "--threads '$n'" run "$model" "$photo" --threads "$n"; done
expect 2 "CPU level 'foo'" run "$model" "$photo" --cpu foo
expect 2 "--mean 'nan'" run "$model" "$photo" --mean nan
expect 2 "mean 1e+30 is not in" run "$model" "$photo" --mean 1e30
for o in fit filter convention color layout; do
    expect 2 "$o 'foo' is not one of" run "$model" "$photo" --$o foo
done
expect 2 "there is no preset 'foo'" run "$model" "$photo" --preset foo
expect 2 "std 0 is not positive" run "$model" "$photo" --std 0
expect 2 "--count '0'" bench "$model" --count 0
expect 2 "--count '99999999999999999999'" bench "$model" --count 99999999999999999999
for d in 0s 1e400s 5 -1s; do expect 2 "--duration '$d'" bench "$model" --duration "$d"; done
expect 2 "--shape" bench "$model" --shape image
expect 2 "--shape" bench "$model" --shape image=1,2,3,4,5,6,7,8,9,10,11
for d in '' , -1 1, 99999999999; do
    expect 2 "--shape 'image=$d': behind the name come" bench "$model" --shape "image=$d"
done
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

# What would have no effect, or contradicts itself.
expect 2 "--size has no effect without an IMAGE" bench "$model" --size 8x8 --count 1
expect 2 "--manifest has no effect" profile "$model" --manifest /nonexist.json
expect 2 "contradict" run "$model" "$photo" --bgr --color rgb
expect 2 "not both" bench "$model" --count 1 --duration 1s
printf x >only.onnx
expect 2 "would overwrite" profile only.onnx --trace only.onnx
expect 2 "would overwrite" inspect only.onnx --dot only.onnx
cp "$photo" own.jpg
ln own.jpg link.jpg
expect 2 "would overwrite" run "$model" own.jpg --draw link.jpg
cp "$golden/npy/f32.npy" a_b.0.npy
expect 1 "would be overwritten" run "$golden/cli/file_names.onnx" --input a_b.0.npy --output-dir .
expect 1 "another shape than its tensor" bench "$model" "$photo" --shape image=8,3,224,224 --count 1
expect 0 "" bench "$model" "$photo" --shape image=1,3,224,224 --count 1
expect 2 "not a list of detections" run "$model" "$photo" --score 0.5
expect 2 "the answer is tensors" run "$model" "$photo" --preset raw --draw x.png
expect 2 "both write to standard output" inspect "$model" --dot - --json
expect 2 "'image' has a shape already" bench "$model" --shape image=1 --shape image=2
expect 2 "exactly one IMAGE" run "$model" "$photo" "$photo" --draw x.png
expect 1 "this input is given twice" run "$golden/cli/equals.onnx" \
    --input a="$golden/npy/f32.npy" --input a="$golden/npy/f32.npy"
expect 1 "by --input and by the IMAGE" run "$model" "$photo" --input image="$golden/npy/f32.npy"

# Tensors that do not fit, or are none.
expect 1 "declared f32[2,3], given s16[2,3,4]" run "$golden/cli/file_names.onnx" \
    --input "$golden/npy/c_2x3x4.npy"
expect 1 "declared f32, given f64" run "$golden/cli/file_names.onnx" \
    --input "$golden/npy/f64.npy"
expect 1 "big-endian" run "$golden/cli/file_names.onnx" --input "$golden/npy/bad_big_endian.npy"
expect 1 "input 'a' is missing" run "$golden/cli/equals.onnx" --input a=1="$golden/npy/f32.npy"
expect 1 "read as a TensorProto" run "$golden/cli/file_names.onnx" --input "$photo"

# The longest name that is an input counts, and outputs do not overwrite each other or
# leave their folder.
expect 0 "" run "$golden/cli/equals.onnx" --input a=1="$golden/npy/f32.npy" \
    --input a="$golden/npy/f32.npy"
grep -q ' 0 0 0 0 0 0' out || complain "a=1 minus a: $(cat out)"
expect 0 "" run "$golden/cli/file_names.onnx" --input "$golden/npy/f32.npy" --output-dir results
ls -A results | cut -c 1-20 | LC_ALL=C sort >names
LC_ALL=C sort >wanted <<'EOF'
a_b.0.npy
a_b.1.npy
...npy
_etc_passwd.npy
c=d.npy
nnnnnnnnnnnnnnnnnnnn
EOF
cmp -s names wanted || complain "files of outputs: $(cat names)"

# Names that would steer a terminal, in tables, JSON, graphs, traces and messages.
steer=$golden/cli/steering_names.onnx
shape="--shape $(printf 'in?[31mRED?]0;title???????31m???end')=1,4"
esc=$(printf 'p\033[31m\007\302\233\377\n.jpg')
cp "$photo" "$esc"
for line in "inspect $steer" "inspect $steer $shape --dot -" "bench $steer --count 3" \
    "profile $steer --runs 3 --trace t.json"; do
    # shellcheck disable=SC2086
    expect 0 "" $line
    steady out
done
steady t.json
json t.json
for line in "inspect $steer" "profile $steer --runs 3"; do
    # shellcheck disable=SC2086
    expect 0 "" $line --json
    steady out
    json out
done
expect 1 "is declared" run "$steer" --input "$golden/npy/f32.npy"
expect 0 "" run "$model" "$esc"
steady out
expect 0 "" run "$model" "$esc" --json
steady out
json out
expect 1 "no input of this name" run "$model" --input "$esc=x"
printf 'a\033[31m\302\233\nb\377\nc\nd\ne\nf\n' >labels
expect 0 "" run "$model" "$photo" --labels labels
steady out

# More memory than there can be: an error, at once.
for d in 1,3,999999,999999 99999999,3,224,224 2147483647,2147483647,2147483647,2147483647; do
    expect 1 "" bench "$model" --count 1 --shape "image=$d"
done
expect 1 "f32[1,3,99999,99999]: 119997600012 bytes in one piece; at most 2147479552 are taken" bench "$golden/cli/huge.onnx" --count 1
expect 1 "Relu '' (opset 17) makes f32[1,3,99999,99999]: a run needs 119997600128 bytes" inspect "$golden/cli/huge.onnx"
for header in 'P6 65535 65535 255' 'P5 0 0 255' 'P3 -1 4 255' 'P6 99999999999999999999 1 255'; do
    printf '%s\n123' "$header" >bomb.ppm
    expect 1 "bomb.ppm" run "$model" bomb.ppm
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
for line in "run $model $photo" "run $model $photo --json" "inspect $model" "--help" \
    "inspect $golden/cli/file_names.onnx --dot -" "bench $model --count 3" "--version" "run --help"; do
    # shellcheck disable=SC2086
    for to in closed full; do
        if [ $to = closed ]; then
            "$hasten" $line >&- 2>err
        else
            "$hasten" $line >/dev/full 2>err
        fi
        got=$?
        [ $got = 1 ] && [ -s err ] || complain "hasten $line, output $to: status $got"
    done
done
"$hasten" run "$model" "$photo" --output-dir kept --draw kept.png >&- 2>err
[ "$(wc -c <kept/logits.npy)" = 152 ] || complain "a closed output spoils other files"
ln -s /dev/full full.png
expect 1 "No space left" run "$model" "$photo" --draw full.png
expect 1 "No space left" profile "$model" --runs 2 --trace /dev/full
expect 1 "No space left" inspect "$golden/cli/file_names.onnx" --dot /dev/full
"$hasten" inspect "$model" 2>err | head -n 1 >out
grep -q '^model' out || complain "first line through a pipe: $(cat out)"

# A model that cannot be run can be looked at.
expect 1 "2 nodes cannot be run" inspect "$golden/cli/unsupported.onnx"
grep -q 'Frobnicate 1' out || complain "inspect of a model that cannot be run: $(cat out)"
expect 1 "2 nodes cannot be run" inspect "$golden/cli/unsupported.onnx" --json
json out

# A manifest is found whatever the letters of the model's ending.
cp "$model" UPPER.ONNX
cp "${model%.onnx}.json" UPPER.json
cp "$(dirname "$model")/labels.txt" .
expect 0 "" run UPPER.ONNX "$photo"
grep -q 'note' err && complain "UPPER.json is not found"

# What must work: help for each command, with an example; JSON that is JSON.
for command in run profile bench inspect doctor; do
    "$hasten" $command --help >out 2>err || { echo "$command --help fails"; failed=1; }
    grep -q "hasten $command" out || { echo "$command --help has no example"; failed=1; }
    for path in $(grep -o 'models/[^ ]*' out); do
        [ -f "$source/$path" ] || complain "$command --help names $path"
    done
done
for line in "run $model $photo" "profile $model $photo" "bench $model --count 20" \
    "inspect $model"; do
    # shellcheck disable=SC2086
    "$hasten" $line --json >out 2>err || { echo "hasten $line --json: $(cat err)"; failed=1; }
    json out
done
exit $failed
