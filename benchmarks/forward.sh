#!/bin/sh
# Times the forward shapes: rms_norm over 32 M elements, and combine + residual + rms_norm.
set -eu

cd "$(dirname "$0")/.."

usage() {
  cat <<'END'
usage: benchmarks/forward.sh [--tool=PATH] [--only=REGEX] [--rows=N] [FLAG...]

  --tool=PATH   the fastnorm-run to use (build/bin/fastnorm-run)
  --only=REGEX  only the shapes whose line, as "rms_norm 4096 8192", matches
  --rows=N      N rows in place of each shape's own
  FLAG          handed on to fastnorm-run, as --device=emulator or --fuse=never

Every shape is checked against the reference in the same run. What is printed, commands included, is what
benchmarks/results keeps. Without a CUDA device the emulator counts instructions and bytes, on 132 rows a shape.
END
}

# The one list: graph, rows, hidden, top_k ("-": none).
shapes() {
  cat <<'END'
rms_norm 32768 1024 -
rms_norm 16384 2048 -
rms_norm 8192 4096 -
rms_norm 4096 8192 -
rms_norm 2048 16384 -
rms_norm 1024 32768 -
combine_norm 3467 3072 8
combine_norm 16384 2048 8
END
}

# The examples have these sizes; a shape's graph is the example with its own.
example_hidden() { # GRAPH
  case $1 in
  rms_norm) echo 4096 ;;
  combine_norm) echo 3072 ;;
  esac
}
example_top_k=8

make_graph() { # GRAPH HIDDEN TOP_K
  sed -e "s/\([x<]\)$(example_hidden "$1")x\(bf16\|f32\)/\1$2x\2/g" -e "s/x${example_top_k}x\(i64\|f32\)/x$3x\1/g" \
    -e '/^ *\/\//d' -e '/./,$!d' "examples/$1.mlir"
}

has_device() {
  for device in /dev/nvidia[0-9]*; do
    [ -e "$device" ] && return 0
  done
  return 1
}

tool=build/bin/fastnorm-run
only=.
fixed_rows=
flags=
for argument in "$@"; do
  case $argument in
  --tool=*) tool=${argument#*=} ;;
  --only=*) only=${argument#*=} ;;
  --rows=*) fixed_rows=${argument#*=} ;;
  --help)
    usage
    exit 0
    ;;
  *) flags="$flags $argument" ;;
  esac
done
if [ ! -x "$tool" ]; then
  echo "forward.sh: error: there is no $tool; run ./dev build" >&2
  exit 2
fi
if [ -z "$fixed_rows" ] && ! has_device; then
  fixed_rows=132
  echo "forward.sh: no CUDA device: counts from the emulator, $fixed_rows rows a shape" >&2
fi

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
shapes | grep -e "$only" >"$folder/shapes" || {
  echo "forward.sh: error: expected --only to match a shape, but '$only' matches none" >&2
  exit 2
}

status=0
while read -r graph rows hidden top_k; do
  rows=${fixed_rows:-$rows}
  file=$graph-$hidden.mlir
  if [ "$top_k" = - ]; then
    dimensions="--dim rows=$rows"
  else
    file=$graph-$top_k-$hidden.mlir
    dimensions="--dim rows=$rows --dim expert_rows=$((rows * top_k))"
  fi
  make_graph "$graph" "$hidden" "$top_k" >"$folder/$file"
  command="--bench $dimensions --fill=seed:1 --check=reference$flags"
  echo "$ fastnorm-run $file $command"
  # shellcheck disable=SC2086 # one word a flag
  "$tool" "$folder/$file" $command || status=$?
  echo
done <"$folder/shapes"
exit "$status"
