"""What shell scripts take, and the tests of Bats files."""

from __future__ import annotations

from sidecar.files.briefing.render import render
from sidecar.files.outline import outline


def spans_of(text: str, path: str = "a.sh") -> dict[str, tuple[int, int]]:
    symbols = outline(path, text.encode(), "").symbols
    return {symbol.signature: (symbol.start, symbol.end) for symbol in symbols if symbol.kind in ("call", "test")}


def test_a_script_tells_the_options_between_which_it_decides() -> None:
    cases = "".join(f"  {word})\n    {'run it; ' * 12}\n    ;;\n" for word in ("-h|--help", "--name=*", '"stop"', "*"))
    script = (
        "#!/bin/bash\n" + 'case "${1:-}" in\n' + cases + "".join(f"  part{n})\n    : ;;\n" for n in range(9)) + "esac\n"
    )
    shown = render(outline("a.sh", script.encode(), ""), path="a.sh", project_imports=())
    assert 'case "${1:-}" in: -h|--help, --name=*, "stop", part0, part1, ' in shown


def test_bats_tests_are_named() -> None:
    text = "@test \"it builds\" {\n  COUNT=1\n  run make all\n}\n@test 'short' { true; }\nteardown() { :; }\n"
    assert spans_of(text, "a.bats") == {'@test "it builds"': (1, 4), '@test "short"': (5, 5)}
    assert "COUNT" not in {symbol.name for symbol in outline("a.bats", text.encode(), "").symbols}
