#!/bin/sh
# Installs the Debian packages that building and testing need; quick when all are there.
# usage: packages.sh build|test
set -eu
packages="build-essential cmake ninja-build pkg-config libturbojpeg0-dev libjpeg62-turbo-dev
libspng-dev libcjson-dev libnanopb-dev libxxhash-dev"
if [ "${1:-build}" = test ]; then
    packages="$packages libcmocka-dev libonnx-testdata zstd clang-14 libclang-rt-14-dev
clang-format-14 mandoc python3"
fi
missing=""
for package in $packages; do
    dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
        missing="$missing $package"
done
[ -z "$missing" ] && exit 0
echo "installing:$missing"
sudo=""
if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || {
        echo "these packages are missing and neither root nor sudo is at hand:$missing" >&2
        exit 1
    }
    sudo=sudo
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
