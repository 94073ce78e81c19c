#!/usr/bin/env bash
# Runs what a build can do on a CUDA device of this machine: the suite on the real driver, then the
# programs of benchmarks/ beside JAX on the same device, into a table.
#
#   on_device.sh [--build=DIR] [--driver=FILE] [--python=PROGRAM] [--suite=FILTER] [--bench=FILE.hlo]...
#                [--seconds=S] [--results=FILE] [NAME...]
#   on_device.sh [--build=DIR] --pack=FILE.tar.gz
#
# --build    the build folder (build/release): ninja sinter_tool ops_on_device conformance_on_device
# --pack     writes all that a run elsewhere needs, stripped; unpack it there and run
#            tests/cuda/on_device/on_device.sh
# --driver   a file to load instead of libcuda.so.1
# --python   a Python 3.9 or later, with jax and numpy for the comparison (python3)
# --suite    only the sections of the suite of tests/ops of this name
# --bench    where there is no JAX: these programs are timed alone (tests/cuda/programs/*.hlo)
# --results  the table (benchmarks/RESULTS-cuda.md)
# NAME       only these programs of benchmarks/programs.py
#
# Exit status: 0; 1 a test or a comparison failed; 2 wrong use; 3 there is no CUDA device.
set -u -o pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
build=$root/build/release driver='' python=python3 suite='' seconds=1 pack=''
results=$root/benchmarks/RESULTS-cuda.md
benches=() names=()
usage() { sed -n '5,7p' "${BASH_SOURCE[0]}" | cut -c3- >&2; exit 2; }
for argument in "$@"; do
  value=${argument#*=}
  case $argument in
    --build=*) build=$value ;;
    --driver=*) driver=$value ;;
    --python=*) python=$value ;;
    --suite=*) suite=$value ;;
    --bench=*) benches+=("$value") ;;
    --seconds=*) seconds=$value ;;
    --results=*) results=$value ;;
    --pack=*) pack=$value ;;
    -*) usage ;;
    *) names+=("$argument") ;;
  esac
done

sinter=$build/bin/sinter
ops=$build/tests/bin/ops_on_device
conformance=$build/tests/bin/conformance_on_device
for file in "$sinter" "$ops" "$conformance"; do
  [[ -x $file ]] || { echo "on_device.sh: $file is not there" >&2; exit 2; }
done

if [[ -n $pack ]]; then
  folder=$(mktemp -d) || exit 2
  trap 'rm -rf "$folder"' EXIT
  mkdir -p "$folder"/build/release/{bin,tests/bin} "$folder"/tests/cuda &&
    cp -r "$root/benchmarks" "$folder/benchmarks" &&
    cp -r "$root/tests/ops" "$folder/tests/ops" &&
    cp -r "$root"/tests/cuda/{on_device,programs} "$folder/tests/cuda/" &&
    strip -o "$folder/build/release/bin/sinter" "$sinter" &&
    strip -o "$folder/build/release/tests/bin/ops_on_device" "$ops" &&
    strip -o "$folder/build/release/tests/bin/conformance_on_device" "$conformance" &&
    tar -czf "$pack" -C "$folder" . || exit 2
  echo "$pack"
  exit 0
fi

if [[ -n $driver ]]; then
  export SINTER_FLAGS="${SINTER_FLAGS:+$SINTER_FLAGS,}cuda_driver=$driver"
fi
export SINTER_OPS_FOLDER=$root/tests/ops

said=$("$sinter" run --device=cuda "$root/tests/cuda/on_device/probe.hlo" 2>&1)
status=$?
if [[ $status == 3 ]]; then
  echo "no CUDA device: ${said//$'\n'/ }"
  exit 3
elif [[ $status != 0 ]]; then
  echo "the first program fails: $said" >&2
  exit 1
fi

failed=0
echo "== tests/ops"
if [[ -n $suite ]]; then
  "$ops" 'every module of every file on every device' -c "$suite" || failed=1
else
  "$ops" || failed=1
fi
echo "== conformance"
"$conformance" || failed=1

[[ ${#benches[@]} -gt 0 ]] || benches=("$root"/tests/cuda/programs/*.hlo)
echo "== benchmarks"
"$python" "$root/benchmarks/compare_cuda.py" --sinter "$sinter" --seconds "$seconds" \
  --results "$results" --alone "${benches[@]}" -- ${names[@]+"${names[@]}"} || failed=1
exit $failed
