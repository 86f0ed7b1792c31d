#!/bin/sh
# Installs what is missing of Debian's packages; does nothing when all is there.
#   setup.sh run | test | package | explorer
#   setup.sh bench [torch] [onednn-sycl]    the peers of `stridewise bench`, in
#     build/peers; the two that are named here take gigabytes (docs/bench.md)
set -eu

run="cmake ninja-build g++ libfmt-dev libexpected-dev libtomlplusplus-dev zlib1g-dev
libcli11-dev nlohmann-json3-dev libxxhash-dev libtbb-dev ocl-icd-opencl-dev opencl-headers librsvg2-bin"
explorer="cmake ninja-build python3 clang-19 lld-19 wasi-libc libc++-19-dev-wasm32
libc++abi-19-dev-wasm32 libclang-rt-19-dev-wasm32 libfmt-dev libexpected-dev
libtomlplusplus-dev nlohmann-json3-dev"
test="$run $explorer nodejs python3 python3-dev python3-numpy python3-venv libgtest-dev libgmock-dev
librapidcheck-dev libdnnl-dev libeigen3-dev libbenchmark-dev clang libclang-rt-14-dev
clang-19 libc++-19-dev libc++abi-19-dev
clang-format libsimde-dev valgrind strace g++-aarch64-linux-gnu qemu-user-static
pocl-opencl-icd oclgrind chromium chromium-driver python3-selenium
fonts-dejavu-core"
bench="$run python3 python3-numpy python3-venv libdnnl-dev libxsmm-dev
libopenblas-serial-dev libeigen3-dev"

mode=${1:-}
case $mode in
  run) wanted=$run ;;
  test) wanted=$test ;;
  package) wanted="$run dpkg-dev" ;;
  explorer) wanted=$explorer ;;
  bench) wanted=$bench ;;
  *) echo "usage: setup.sh run|test|package|explorer|bench [torch] [onednn-sycl]" >&2; exit 2 ;;
esac

missing=
for package in $wanted; do
  case $(dpkg-query -W -f '${Status}' "$package" 2>/dev/null) in
    "install ok installed") ;;
    *) missing="$missing $package" ;;
  esac
done

if [ -n "$missing" ]; then
  as_root=
  if [ "$(id -u)" -ne 0 ]; then
    as_root=sudo
  fi
  echo "installing:$missing" >&2
  $as_root apt-get update -qq >&2
  # shellcheck disable=SC2086  # the list is meant to be split
  DEBIAN_FRONTEND=noninteractive $as_root apt-get install -y -qq \
    --no-install-recommends $missing >&2
fi

root=$(cd "$(dirname "$0")/.." && pwd)
# venv FOLDER PACKAGE...: a virtual environment of its own, until other packages are asked for
venv() {
  folder=$1
  shift
  [ "$(cat "$folder/complete" 2>/dev/null)" != "$*" ] || return 0
  echo "installing: $* in $folder" >&2
  /usr/bin/python3 -m venv --clear "$folder"
  "$folder/bin/pip" install -q "$@" >&2
  echo "$*" >"$folder/complete"
}

# The oldest CMake that is to find the installed package.
[ "$mode" != test ] || venv "$root/build/old-cmake" cmake==3.18.4.post1
# What decodes the weights of language models, and small floats, without us.
[ "$mode" != test ] || venv "$root/build/oracles" gguf==0.19.0 ml_dtypes==0.6.0 \
  safetensors==0.8.0 lizard==1.24.3

# What makes and tests the package for Python; the packages that its test installs.
if [ "$mode" = test ]; then
  venv "$root/build/python/tools" scikit-build-core==1.1.2 nanobind==3.1.0
  packages=$root/build/python/packages
  wanted=$root/python/tests/requirements.txt
  cmp -s "$wanted" "$packages/complete" ||
    { "$root/build/python/tools/bin/pip" download -q -d "$packages" -r "$wanted" >&2 &&
      cp "$wanted" "$packages/complete"; }
fi

[ "$mode" = bench ] || exit 0
shift

# ------------------------------------------------------------------- peers ---
source=$(cd "$(dirname "$0")/../benchmarks/peers" && pwd)
peers=$(cd "$(dirname "$0")/.." && pwd)/build/peers
mkdir -p "$peers/bin"

# built PROGRAM: whether it is later than all that peers are made of
built() {
  [ -e "$1" ] &&
    [ -z "$(find "$source" -name '*.[ch]pp' -newer "$1")" ]
}

# cpp_peer NAME OPTION...: of a library of Debian's
cpp_peer() {
  name=$1
  shift
  built "$peers/bin/$name" || g++ -std=c++20 -O2 -DNDEBUG \
    "$source/${name}_peer.cpp" "$@" -o "$peers/bin/$name"
}

# onednn_peer PROGRAM [VENV]: with the library of that environment, or Debian's
onednn_peer() {
  program=$1
  ! built "$program" || return 0
  if [ $# -eq 1 ]; then
    set --
  else
    # An rpath of the old kind also finds the libraries that this one needs.
    set -- "-I$peers/$2/include" "-L$peers/$2/lib" \
      "-Wl,--allow-shlib-undefined,--disable-new-dtags,-rpath,$peers/$2/lib"
  fi
  g++ -std=c++20 -O2 "$source/onednn_peer.cpp" "$@" -ldnnl -o "$program"
}

ln -sf "$source/numpy_peer.py" "$peers/bin/numpy"
onednn_peer "$peers/bin/onednn"
# Eigen has what the compiler may use; the others look at the processor.
cpp_peer eigen -march=native -isystem /usr/include/eigen3
cpp_peer openblas "-I/usr/include/$(g++ -print-multiarch)" -lopenblas
# Its sources name each other as they lie in its repository: as headers beside an
# `include`. Without a BLAS it needs none.
mkdir -p "$peers/libxsmm/include"
ln -sfn /usr/include/libxsmm "$peers/libxsmm/src"
cpp_peer libxsmm -w -D__BLAS=0 "-I$peers/libxsmm/include" -ldl -lpthread
# The last of PyPI's builds that run on threads alone.
venv "$peers/onednn-pypi" onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0
onednn_peer "$peers/bin/onednn-pypi" onednn-pypi

for extra in "$@"; do
  case $extra in
    torch)
      venv "$peers/torch" torch
      printf '#!/bin/sh\nexec "%s" "%s"\n' "$peers/torch/bin/python" \
        "$source/torch_peer.py" >"$peers/bin/torch"
      chmod +x "$peers/bin/torch"
      ;;
    onednn-sycl)
      venv "$peers/onednn-sycl" onednn onednn-devel
      onednn_peer "$peers/onednn-sycl/peer" onednn-sycl
      # Its CPU is an OpenCL device, which nothing registers.
      printf '#!/bin/sh\nOCL_ICD_FILENAMES="%s" exec "%s"\n' \
        "$peers/onednn-sycl/lib/libintelocl.so" "$peers/onednn-sycl/peer" \
        >"$peers/bin/onednn-sycl"
      chmod +x "$peers/bin/onednn-sycl"
      ;;
    *) echo "setup.sh: no peer '$extra'; torch or onednn-sycl" >&2; exit 2 ;;
  esac
done
