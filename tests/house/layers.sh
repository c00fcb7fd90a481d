#!/bin/sh
# Fails on an #include that src/LAYERS does not allow. usage: layers.sh SOURCE_DIR
set -eu
cd "$1"
bad=0
for folder in src/*/; do
    name=$(basename "$folder")
    allowed=$(sed -n "s/^$name:\(.*\)/\1/p" src/LAYERS)
    if ! grep -q "^$name:" src/LAYERS; then
        echo "src/$name is not in src/LAYERS"
        bad=1
        continue
    fi
    includes=$(grep -rhno '#include "[a-z_]*/[^"]*"' "$folder" --include='*.[ch]' |
        sed 's/.*"\([a-z_]*\)\/.*/\1/' | sort -u)
    for used in $includes; do
        case " $name hasten $allowed " in
        *" $used "*) ;;
        *)
            echo "src/$name includes $used/:"
            grep -rn "#include \"$used/" "$folder" | head -5
            bad=1
            ;;
        esac
    done
done
if grep -rn '#include "' apps/ examples/ --include='*.[ch]' | grep -v '"hasten/' |
    grep '"[a-z_]*/'; then
    echo "apps and examples build on the public headers only"
    bad=1
fi
[ $bad = 0 ] && echo "layers: all includes point down"
exit $bad
