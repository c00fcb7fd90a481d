#!/bin/sh
# Each public header compiles alone, as C11 and as C++17. usage: headers.sh SOURCE_DIR
set -eu
cd "$1"
for header in include/hasten/*.h; do
    name=hasten/$(basename "$header")
    echo "#include \"$name\"" |
        ${CC:-cc} -std=c11 -pedantic-errors -Wall -Wextra -Werror -Iinclude -fsyntax-only -xc -
    echo "#include \"$name\"" |
        ${CXX:-c++} -std=c++17 -pedantic-errors -Wall -Wextra -Werror -Iinclude \
            -fsyntax-only -xc++ -
done
echo "headers: $(ls include/hasten/*.h | wc -l) compile alone"
