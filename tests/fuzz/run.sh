#!/bin/sh
# Fuzzes every target for an equal part of the time. What it finds stays in build/fuzz:
# inputs under found/NAME, crashes beside them.
# usage: run.sh SECONDS [NAME...]
set -eu
cd "$(dirname "$0")/../.."
seconds=$1
shift
[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's/.*fuzz_\(.*\)\.c/\1/')
mkdir -p build
cmake --preset fuzz >build/fuzz.log 2>&1 &&
    cmake --build build/fuzz --target $(printf 'fuzz_%s ' "$@") >>build/fuzz.log 2>&1 || {
    tail -40 build/fuzz.log
    exit 1
}
cd build/fuzz
for name in "$@"; do
    mkdir -p "found/$name"
    corpora="found/$name"
    seeds=$name
    [ "$name" = session ] && seeds=onnx
    for folder in ../../tests/fuzz/corpus/$name ../../tests/golden/$seeds; do
        [ -d "$folder" ] && corpora="$corpora $folder"
    done
    echo "== $name"
    # an input must be done with in 10 s, within 2 GB
    "tests/fuzz/fuzz_$name" -max_total_time=$((seconds / $#)) -timeout=10 -rss_limit_mb=2048 \
        -max_len=65536 -print_final_stats=1 -artifact_prefix="crash-$name-" $corpora \
        >"fuzz_$name.log" 2>&1 || {
        tail -40 "fuzz_$name.log"
        exit 1
    }
    grep -E '^(stat::number_of_executed_units|stat::peak_rss_mb)|DONE' "fuzz_$name.log"
done
