#!/usr/bin/env bash
# Makes media/screenshots again:   scripts/screenshots.sh
# Needs Node 20, npm, chromium, `npm ci` in this folder, and a sidecar to show: `memory-sidecar` on PATH, or SIDECAR.
# CODE_SERVER names a folder where the npm package code-server is installed (see tests/client/vscode.py); without it
# it is installed for this run. A Python with Pillow (PYTHON) makes the pictures small.
set -euo pipefail
cd "$(dirname "$0")/.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
code=${CODE_SERVER:-}
if [ -z "$code" ]; then
  code=$place/code-server
  mkdir -p "$code"
  echo '{"private":true}' > "$code/package.json"
  flags=(--no-audit --no-fund --ignore-scripts --loglevel=error)
  (cd "$code" && npm i code-server@4.100.3 "${flags[@]}")
  (cd "$code/node_modules/code-server/lib/vscode" && npm i --omit=dev "${flags[@]}")
fi
npx vsce package --no-dependencies --allow-missing-repository --out "$place/memory-sidecar.vsix"
mkdir "$place/run"
sidecar=${SIDECAR:-$(command -v memory-sidecar)}
node scripts/screenshots.mjs "$(printf '{"server":"%s","vsix":"%s","program":["%s"],"place":"%s","out":"%s","chromium":"%s"}' \
  "$code/node_modules/code-server/lib/vscode/out/server-main.js" "$place/memory-sidecar.vsix" "$sidecar" "$place/run" \
  "$PWD/media/screenshots" "$(command -v chromium)")"
"${PYTHON:-python3}" - media/screenshots/*.png <<'PY'
import sys
try:
    from PIL import Image
except ImportError:
    sys.exit("The pictures are not made smaller: this Python has no Pillow.")
for path in sys.argv[1:]:
    Image.open(path).convert("RGB").quantize(128, dither=Image.Dither.NONE).save(path, optimize=True)
PY
ls -l media/screenshots
