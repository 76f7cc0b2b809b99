#!/usr/bin/env bash
# The Debian package: what it depends on and holds, and that its program answers where it is unpacked.
#   package.sh BUILD
set -euo pipefail
build="$1"
for tool in cpack dpkg-deb dpkg-shlibdeps file; do
  command -v "$tool" >/dev/null || { echo "$tool is not installed: not tried"; exit 0; }
done
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
(cd "$work" && cpack --config "$build/CPackConfig.cmake" -B "$work" >cpack.log) || { cat "$work/cpack.log"; exit 1; }
package=("$work"/*.deb)
fail() { echo "package: $*" >&2; exit 1; }

depends="$(dpkg-deb -f "${package[0]}" Depends)"
for library in libc6 libfmt9 libsqlite3-0; do
  [[ "$depends" == *"$library (>= "* ]] || fail "Depends lacks $library: $depends"
done
mkdir "$work/root"
dpkg-deb -x "${package[0]}" "$work/root"
for path in bin/trainyard lib/libtrainyard.a include/trainyard/trainyard.h lib/pkgconfig/trainyard.pc \
  share/man/man1/trainyard.1.gz share/man/man1/trainyard-plan.1.gz share/bash-completion/completions/trainyard \
  share/zsh/vendor-completions/_trainyard share/fish/vendor_completions.d/trainyard.fish \
  share/doc/trainyard/copyright share/doc/trainyard/changelog.Debian.gz; do
  [[ -s "$work/root/usr/$path" ]] || fail "no /usr/$path"
done
unreadable="$(find "$work/root" ! -perm -o+r)"
[[ -z "$unreadable" ]] || fail "others cannot read $unreadable"
cd "$work"
"$work/root/usr/bin/trainyard" plan llama3-405b --json >plan.json || fail "the program does not run"
cmp -s plan.json <("$build/trainyard" plan llama3-405b --json) || fail "the packed program answers otherwise"
zcat "$work/root/usr/share/man/man1/trainyard-plan.1.gz" | grep -q '^\.TH TRAINYARD' || fail "no man page"
