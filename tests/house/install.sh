#!/bin/sh
# Installs into a scratch folder and builds the example programs there, once by pkg-config
# and once by the CMake package, as a stranger would. usage: install.sh SOURCE BUILD CC
set -eu
source=$1 build=$2 cc=$3
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cmake --install "$build" --prefix "$scratch/root" >"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
export PKG_CONFIG_PATH=$(dirname "$(find "$scratch/root" -name hasten.pc)")
libdir=$(pkg-config --variable=libdir hasten)
extra=$(sed -n 's/^HASTEN_SANITIZE:[A-Z]*=\(..*\)/-fsanitize=\1/p' "$build/CMakeCache.txt")
for example in classify detect; do
    $cc -std=c11 -Wall -Wextra -Werror $extra $(pkg-config --cflags hasten) \
        "$source/examples/$example.c" -o "$scratch/$example" $(pkg-config --libs hasten)
done
image=$(ls "$source"/models/strip/samples/*.jpg | head -1)
LD_LIBRARY_PATH=$libdir "$scratch/classify" "$source/models/strip/strip.onnx" "$image"
LD_LIBRARY_PATH=$libdir "$scratch/detect" 2>/dev/null && exit 1 # no arguments: usage, fails

mkdir "$scratch/app"
cp "$source/examples/classify.c" "$scratch/app"
cat >"$scratch/app/CMakeLists.txt" <<'EOF'
cmake_minimum_required(VERSION 3.25)
project(app C)
find_package(hasten REQUIRED)
add_executable(app classify.c)
target_link_libraries(app hasten::hasten)
EOF
cmake -S "$scratch/app" -B "$scratch/app/build" -DCMAKE_PREFIX_PATH="$scratch/root" \
    -DCMAKE_C_COMPILER="$cc" -DCMAKE_C_FLAGS="$extra" >"$scratch/log" 2>&1 &&
    cmake --build "$scratch/app/build" >>"$scratch/log" 2>&1 || {
    cat "$scratch/log"
    exit 1
}
"$scratch/app/build/app" "$source/models/strip/strip.onnx" "$image" >/dev/null
test -f "$scratch/root/share/man/man1/hasten.1"
"$scratch/root/bin/hasten" --version
echo "install: library, headers, pkg-config, CMake package, command and man page work"
