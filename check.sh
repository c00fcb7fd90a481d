#!/bin/sh
# Sets everything up on a fresh Debian 12 machine and passes the tests.
# usage: check.sh [quick|full|long]   (default: full)
#   quick  unit tests, kernels, house rules            (under a minute after the build)
#   full   and ONNX node tests, models, both compilers, sanitizers
#   long   and long kernel sweeps and ten minutes of fuzzing
set -eu
cd "$(dirname "$0")"
tier=${1:-full}
sh tools/packages.sh test

build() { # name, cmake arguments...
    name=$1
    shift
    mkdir -p build
    cmake -G Ninja -B "build/$name" "$@" >"build/$name.log" 2>&1 &&
        cmake --build "build/$name" >>"build/$name.log" 2>&1 || {
        tail -40 "build/$name.log"
        exit 1
    }
}

echo "== gcc, release"
build release -DCMAKE_BUILD_TYPE=Release -DHASTEN_WERROR=ON
case $tier in
quick) ctest --test-dir build/release --output-on-failure -L quick ;;
full) ctest --test-dir build/release --output-on-failure -LE long ;;
long) ctest --test-dir build/release --output-on-failure ;;
*)
    echo "usage: check.sh [quick|full|long]" >&2
    exit 2
    ;;
esac
[ "$tier" = quick ] && exit 0

echo "== clang, warnings"
build clang -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=Release -DHASTEN_WERROR=ON
echo "== address and undefined-behaviour sanitizers"
build asan -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" \
    -DHASTEN_SANITIZE=address,undefined
ctest --test-dir build/asan --output-on-failure -L quick -LE long
echo "== thread sanitizer"
build tsan -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 -g1" \
    -DHASTEN_SANITIZE=thread
ctest --test-dir build/tsan --output-on-failure -L threads
if [ "$tier" = long ]; then
    echo "== fuzzing"
    sh tests/fuzz/run.sh 600
fi
echo "check: all passed"
