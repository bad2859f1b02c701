#!/usr/bin/env bash
#
# Deploys the shop. Needs a key.
set -euo pipefail

source ./lib/common.sh
. "$HERE/extra.sh"

readonly MAX_JOBS=4
export SHOP_HOME="$HOME/shop" PATH
declare -r NAME="shop"
TIMEOUT=30
lower=1

# Builds it.
build() {
  local target="$1"
}

function clean {
  rm -rf out
}

_quiet() { :; }

if [ -n "$1" ]; then
  late() { :; }
fi
build "$@"
