#!/usr/bin/env bash
# Deploys one release and switches the link to it.
set -euo pipefail

RELEASES=/srv/shop/releases
CURRENT=/srv/shop/current
KEEP=5

cleanup() {
  ls -1dt "$RELEASES"/*/ | tail -n +"$((KEEP + 1))" | xargs -r rm -rf
}

release="$RELEASES/$(date -u +%Y%m%d%H%M%S)"
mkdir -p "$release"
tar -xzf "$1" -C "$release"
"$release/bin/check" || { rm -rf "$release"; exit 3; }
ln -sfn "$release" "$CURRENT"
systemctl reload shop
cleanup
