"""An outline repeats no secret of its file: it is kept on disk and given to models."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from sidecar.files.outline import outline
from sidecar.files.structure.values import secret_value, without_secret
from sidecar.files.workers.worker import Batch, parse

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


@pytest.mark.parametrize("path", FILES)
def test_no_secret_is_among_the_words_of_files_read_without_outlines(path: str, tmp_path: Path) -> None:
    (tmp_path / path).write_text(FILES[path])
    (parsed,) = parse(Batch(str(tmp_path), 1_000_000, [], [path], outline=False, scan=True, terms=True))
    assert parsed.content is None
    words = " ".join(parsed.terms or ()).lower()
    assert words
    for secret in (AWS[4:], GITHUB[4:], "Tr0ub4dor3xKq9"):
        assert secret.lower() not in words


def test_the_rest_stays() -> None:
    record = outline("a.py", FILES["a.py"].encode(), "h")
    assert record.doc == "Uses [redacted: AWS access key] to log in"
    (f,) = (symbol for symbol in record.symbols if symbol.name == "f")
    assert f.doc == "Sends [redacted: GitHub token]"
    plain = outline("b.py", b'"""Counts tokens."""\ndef token(text_of_1234567890: str = "abc"): ...\n', "h")
    assert plain.doc == "Counts tokens"
    assert plain.symbols[0].signature == 'def token(text_of_1234567890: str = "abc")'


@pytest.mark.parametrize(
    "declared",
    [
        'ELEMENT_LINK_KEY = "element"',
        'tokenName = "auth.token.name"',
        'STORAGE_KEY = "app-feature-flags"',
        'SECRET_FILE = "/run/secrets/app.txt"',
        'passwordInput = template("passwordInput")',
        'DISABLED_ENCRYPTION = "false"',
        'NAME = "ParallelThreadDependentTestCollection"',
        'TOKEN_MASK = "*******"',
    ],
)
def test_a_name_or_a_place_is_no_secret(declared: str) -> None:
    assert outline("a.py", f"{declared}\n".encode(), "h").symbols[0].signature == declared


@pytest.mark.parametrize(
    "declared",
    [
        'DB_PASSWORD = "letmein"',
        'DB_PASSWORD = "correct horse battery"',
        'apiKey = "abcdef"',
        'TOKEN = "hunter"',
        'KEY = "9f8e7d6c"',
        'NAME = "qXzRtWvBnMkLpHgFdSaQwErTyUiOpAsDfGh"',
    ],
)
def test_possible_secrets_are_hidden(declared: str) -> None:
    assert "[" in outline("a.py", f"{declared}\n".encode(), "h").symbols[0].signature


@pytest.mark.timeout(60)
def test_a_long_word_is_judged_in_linear_time() -> None:
    for text in ("a" * 500_000 + "!", "aB" * 250_000 + "!", "a-" * 250_000 + "!"):
        assert text not in without_secret(f'PASSWORD = "{text}"')
        secret_value(text)


@pytest.mark.parametrize(
    "shown", ['tokenName = "token1x"', 'TOKEN_URL = "https://a.example/oauth2"', "SECRET_LENGTH = 12"]
)
def test_mentions_of_secrets_are_not_hidden(shown: str) -> None:
    assert without_secret(shown) == shown
    assert not secret_value("methods/IERC3156FlashBorrower")
