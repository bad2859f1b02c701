"""What shell scripts take, and the tests of Bats files."""

from __future__ import annotations

from sidecar.files.outline import outline

SCRIPT = """#!/bin/bash
usage() { echo "usage"; }
build-image() { sudo docker build .; }
case "${1:-}" in
  start|up) build-image ;;
  "stop") command docker stop x | grep x ;;
  -h|--help) usage ;;
  --name=*) NAME="${1#*=}" ;;
  *) exit 1 ;;
esac
case "$OSTYPE" in linux) : ;; darwin) : ;; esac
while getopts ":hv:" opt; do :; done
/usr/bin/openssl version; build-other; my_function
"""


def spans_of(text: str, path: str = "a.sh") -> dict[str, tuple[int, int]]:
    symbols = outline(path, text.encode(), "").symbols
    return {symbol.signature: (symbol.start, symbol.end) for symbol in symbols if symbol.kind in ("call", "test")}


def test_a_script_tells_its_options_and_commands() -> None:
    found = spans_of(SCRIPT)
    assert found["options: -h|--help, --name, -v"] == (7, 12)
    assert found["commands: start|up, stop"] == (5, 6)


def test_options_of_a_script_of_private_functions_are_private_like_them() -> None:
    symbols = outline("a.sh", b"_main() {\n  case $1 in\n    --all) x ;;\n  esac\n}\n", "").symbols
    assert [(symbol.name, symbol.public) for symbol in symbols] == [("_main", False), ("options --all", False)]


def test_bats_tests_are_named() -> None:
    text = "@test \"it builds\" {\n  COUNT=1\n  run make all\n}\n@test 'short' { true; }\nteardown() { :; }\n"
    assert spans_of(text, "a.bats") == {'@test "it builds"': (1, 4), '@test "short"': (5, 5)}
    assert "COUNT" not in {symbol.name for symbol in outline("a.bats", text.encode(), "").symbols}
