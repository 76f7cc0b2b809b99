#!/usr/bin/env bash
# Installs a build into a folder, moves that folder, and builds on it as another program would: every public header by
# itself, the example by CMake and by pkg-config.
#   installed.sh BUILD SOURCE COMPILER FLAGS
set -euo pipefail
build=$1 source=$2 compiler=$3
read -ra flags <<<"$4"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cmake --install "$build" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix="$work/moved"

[[ "$("$prefix/bin/trainyard" --version)" == trainyard\ * ]]

# Headers need nothing but each other, warn of nothing, and name nothing of the program's own folders.
(cd "$prefix/include" && find trainyard -name '*.h') | sort >"$work/headers"
check_header() {
  printf '#include <%s>\n' "$3" | "$1" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion -Werror -I"$2" -x c++ -
}
export -f check_header
xargs -P "$(nproc)" -I{} bash -c 'check_header "$@"' - "$compiler" "$prefix/include" {} <"$work/headers"

cmake -S "$source/examples/library" -B "$work/cmake" -DCMAKE_CXX_COMPILER="$compiler" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_FLAGS="${flags[*]}" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/cheapest_network" | tee "$work/by_cmake.txt"
grep -q '^cheapest without slowing training: ' "$work/by_cmake.txt"
grep -q '^packets: [1-9][0-9]* flows' "$work/by_cmake.txt"

if command -v pkg-config >/dev/null; then
  export PKG_CONFIG_PATH="$prefix/lib/pkgconfig"
  read -ra uses <<<"$(pkg-config --cflags --libs trainyard)"
  "$compiler" "${flags[@]}" "$source/examples/library/cheapest_network.cpp" "${uses[@]}" -o "$work/by_pkg_config"
  "$work/by_pkg_config" >"$work/by_pkg_config.txt"
  cmp "$work/by_cmake.txt" "$work/by_pkg_config.txt"
else
  echo "pkg-config is not installed: not tried"
fi

# What is wrong with an input comes as an exception with its place.
status=0
"$work/cmake/cheapest_network" llama3-405b mapping.tensr=8 2>"$work/error.txt" || status=$?
[[ $status -eq 2 ]]
grep -q "did you mean .tensor" "$work/error.txt" || { cat "$work/error.txt"; exit 1; }
