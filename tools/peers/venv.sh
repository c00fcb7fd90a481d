#!/bin/sh
# Makes a Python virtual environment with the peers that answers and times are compared
# with; quick when it is there. usage: venv.sh DIR
set -eu
dir=$1
stamp="$dir/.ready"
wanted="onnx==1.23.2 onnxruntime==1.32.0 numpy==2.4.6 pillow==13.0.0"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && exit 0
command -v python3 >/dev/null && python3 -c 'import venv, ensurepip' 2>/dev/null || {
    sudo=""
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get install -y -qq --no-install-recommends python3 python3-venv >/dev/null
}
python3 -m venv "$dir"
"$dir/bin/pip" install --quiet --disable-pip-version-check $wanted
echo "$wanted" >"$stamp"
