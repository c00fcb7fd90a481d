#!/bin/sh
# Sets everything up on a fresh Debian 12 machine and shows what Hasten does: the answer of
# a real network for a photograph, and where every millisecond went.
set -eu
cd "$(dirname "$0")"
sh tools/packages.sh build
cmake --preset release -DHASTEN_TESTS=OFF -B build/demo >build-demo.log 2>&1 &&
    cmake --build build/demo >>build-demo.log 2>&1 || {
    cat build-demo.log
    exit 1
}
rm -f build-demo.log
photo=$(ls models/strip/photos/*.jpg | head -1)
set -x
build/demo/hasten run models/strip/strip.onnx models/strip/photos/*.jpg
build/demo/hasten profile models/strip/strip.onnx "$photo"
