#!/bin/sh
# The shared library shows hst_ names only, and the static one defines no global name
# outside hst_ and hst__. usage: symbols.sh libhasten.so libhasten_static.a
set -eu
bad=$(nm -D --defined-only "$1" | awk '$2 ~ /[A-Z]/ {print $3}' |
    grep -v -e '^hst_[a-z]' -e '^_init$' -e '^_fini$' || true)
bad="$bad $(nm --defined-only "$2" 2>/dev/null | awk 'NF == 3 && $2 ~ /[TDBRC]/ {print $3}' |
    grep -v -e '^hst_' -e '^__asan' -e '^__odr_asan' -e '^__start_' -e '^__stop_' || true)"
internal=$(nm -D --defined-only "$1" | awk '{print $3}' | grep '^hst__' || true)
if [ -n "$(echo $bad $internal)" ]; then
    echo "names without prefix, or internal names that are visible:" $bad $internal
    exit 1
fi
echo "symbols: $(nm -D --defined-only "$1" | grep -c ' T hst_') public functions"
