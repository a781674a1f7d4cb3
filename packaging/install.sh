#!/bin/sh
# Installs svc @VERSION@ into ~/.local/bin, or the folder that SVC_BIN names. Run it again to install this version anew.
#
# SVC_FROM is where the archive and SHA256SUMS are fetched from, if not from where this file says.
set -eu

version=@VERSION@
from=${SVC_FROM:-@ADDRESS@}
bin=${SVC_BIN:-$HOME/.local/bin}

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

case "$(uname -s) $(uname -m)" in
    "Linux x86_64") platform=linux-x86_64 ;;
    "Linux aarch64") platform=linux-aarch64 ;;
    "Darwin arm64") platform=darwin-arm64 ;;
    *) fail "there is no archive for $(uname -s) on $(uname -m); build it from source as the README says" ;;
esac
archive=svc-$version-$platform.tar.gz

if command -v sha256sum >/dev/null; then sum=sha256sum
elif command -v shasum >/dev/null; then sum='shasum -a 256'
else fail "needs sha256sum or shasum to check what it fetches"
fi
command -v curl >/dev/null || fail "needs curl"

draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT
for file in SHA256SUMS "$archive"; do
    curl --fail --silent --show-error --location --output "$draft/$file" "$from/$file" || fail "cannot fetch $from/$file"
done
right=$(grep "  $archive\$" "$draft/SHA256SUMS" | cut -d' ' -f1)
[ -n "$right" ] || fail "SHA256SUMS does not name $archive"
found=$(cd "$draft" && $sum "$archive" | cut -d' ' -f1)
[ "$found" = "$right" ] || fail "$archive is damaged: its SHA-256 is $found, and $right was expected"

tar -xzf "$draft/$archive" -C "$draft"
mkdir -p "$bin"
# Renamed into place: a program that is running keeps the file it was started from.
cp "$draft/svc-$version/svc" "$bin/.svc.new"
mv "$bin/.svc.new" "$bin/svc"
for name in svc-mcp svc-server svc-migrate; do
    ln -sf svc "$bin/$name"
done
echo "installed svc $version in $bin"
case ":$PATH:" in
    *":$bin:"*) echo "begin with: svc demo" ;;
    *) echo "$bin is not on your PATH; begin with: $bin/svc demo" ;;
esac
