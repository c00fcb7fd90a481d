#!/bin/sh
# No abort, exit, printing or reading of the environment inside the library; no unfinished
# business in the tree. usage: words.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
if grep -rnE '\b(abort|exit|_exit|printf|puts|perror|getenv) *\(' src --include='*.[ch]'; then
    echo "the library must not end the process, print, or read the environment"
    bad=1
fi
if grep -rnE '\b(TODO|FIXME|XXX|HACK)\b' src apps include tests/unit tests/kcheck --include='*.[ch]'; then
    echo "unfinished business"
    bad=1
fi
[ $bad = 0 ] && echo "words: none out of place"
exit $bad
