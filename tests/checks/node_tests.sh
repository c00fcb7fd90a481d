#!/bin/sh
# The ONNX node tests beside the repository and those of Debian's libonnx-testdata, at the
# best CPU level and at the reference. usage: node_tests.sh PROGRAM SOURCE BUILD
set -eu
program=$1 source=$2 build=$3
skip="$source/tests/checks/node_tests.skip"
ran=no
packed="$source/../shared/data/onnx-node-tests.tar.zst"
if [ -f "$packed" ]; then
    folder="$build/node-tests"
    if [ ! -d "$folder" ]; then
        mkdir -p "$folder.new"
        tar --zstd -xf "$packed" -C "$folder.new"
        mv "$folder.new" "$folder"
    fi
    tests=$(find "$folder" -type d -name node | head -1)
    "$program" --skip "$skip" --threads 2 "$tests"
    "$program" --skip "$skip" --cpu ref --exact "$tests"
    ran=yes
else
    echo "skipped: $packed is absent"
fi
tests=$(dpkg -L libonnx-testdata 2>/dev/null | grep '/data/node$' || true)
if [ -n "$tests" ]; then
    "$program" --skip "$skip" "$tests"
    ran=yes
else
    echo "skipped: the Debian package libonnx-testdata is not installed"
fi
[ $ran = yes ] || exit 77
