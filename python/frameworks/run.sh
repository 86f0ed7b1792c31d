#!/bin/sh
# Runs the tests with large frameworks, which ./test does not: torch, torchao, JAX, IREE, MLX.
#   run.sh BUILD [PYTHON]   BUILD: the folder of a build; PYTHON: of an environment that has
#                           them and pytest; else one is made in build/frameworks (8 GB)
set -eu
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$1" && pwd)
python=${2:-}
if [ -z "$python" ]; then
  python=$source/build/frameworks/bin/python
  [ -x "$python" ] || python3 -m venv "$source/build/frameworks"
  "$python" -m pip install -q numpy pytest ml_dtypes torch torchao 'jax[cpu]' \
    iree-base-compiler iree-base-runtime mlx mlx-cpu apache-tvm-ffi einops
fi
installed=$source/build/frameworks-wheel
rm -rf "$installed"
"$python" -m pip install -q --no-deps --target "$installed" \
  --config-settings "cmake.define.STRIDEWISE_BUILD=$build" "$source"
cd "$installed"
PYTHONPATH=$installed "$python" -m pytest -q --import-mode=importlib -p no:cacheprovider \
  -c "$source/pyproject.toml" --rootdir "$installed" "$source/python/frameworks"
