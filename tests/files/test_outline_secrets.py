"""An outline repeats no secret of its file: it is kept on disk and given to models."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.files.outline import outline

AWS = "AKIA" + "UJZDEGXDNCF32EPF"
GITHUB = "ghp_" + "q7Vn2Xk9LmB4cR8tYw3ZsD6fGhJ1pKaE5uTo"
URL = "postgres://admin:" + "Tr0ub4dor3xKq9" + "@db.example.org/app"

FILES = {
    "a.py": f'"""Uses {AWS} to log in."""\nDB = "{URL}"\ndef f(x="{GITHUB}"):\n    """Sends {GITHUB}."""\n',
    "a.js": f'// Uses {AWS}\nexport function send(x = "{GITHUB}") {{ return "{URL}"; }}\n',
    "a.go": f'package a\n\n// Uses {AWS}.\nconst Name = "{GITHUB}"\n',
    "a.sh": f"#!/bin/sh\n# Uses {AWS}\nexport DB={URL}\nf() {{ :; }}\n",
    "a.md": f"# Set up\n\nUse {GITHUB} now.\n\n## {AWS}\n",
    "a.txt": f"Uses {AWS}\nand {URL}\n",
    "a.yaml": f"url: {URL}\nnote: {GITHUB}\n",
    "a.toml": f'# {AWS}\nurl = "{URL}"\nnote = "{GITHUB}"\n',
    "a.sql": f"-- {AWS}\nCREATE TABLE a (x text DEFAULT '{GITHUB}');\n",
    "Makefile": f"TOKEN={GITHUB}\n# {AWS}\nall:\n\techo {URL}\n",
}


@pytest.mark.parametrize("path", FILES)
def test_no_secret_is_kept(path: str) -> None:
    record = msgspec.json.encode(outline(path, FILES[path].encode(), "h"))
    for secret in (AWS, GITHUB, "Tr0ub4dor3xKq9"):
        assert secret.encode() not in record


def test_the_rest_stays() -> None:
    record = outline("a.py", FILES["a.py"].encode(), "h")
    assert record.doc == "Uses [redacted: AWS access key] to log in"
    (f,) = (symbol for symbol in record.symbols if symbol.name == "f")
    assert f.doc == "Sends [redacted: GitHub token]"
    plain = outline("b.py", b'"""Counts tokens."""\ndef token(text_of_1234567890: str = "abc"): ...\n', "h")
    assert plain.doc == "Counts tokens"
    assert plain.symbols[0].signature == 'def token(text_of_1234567890: str = "abc")'
