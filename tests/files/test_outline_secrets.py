"""Source code with secrets in it: what is kept of the file holds none of them."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.files.outline import outline

KEY = "sk" + "_live_" + "4eC39HqLyjWDarjtT1zdp7dc"

SOURCES = {
    "a.py": f'''API_KEY = "{KEY}"
PASSWORD = "correct horse"
RETRIES = 3

def f(key: str = "{KEY}") -> None: ...
''',
    "a.ts": f'''export const apiKey = "{KEY}";
export const RETRIES = 3;
export class A {{ secret = "correct horse"; }}
''',
    "a.go": f'package a\n\nconst APIKey = "{KEY}"\nconst Retries = 3\n',
    "a.c": f'#define API_KEY "{KEY}"\n#define RETRIES 3\n',
    "a.sh": f'export API_KEY="{KEY}"\nreadonly RETRIES=3\n',
    "a.rb": f'API_KEY = "{KEY}"\nRETRIES = 3\n',
    "A.java": f'public class A {{ public static final String KEY = "{KEY}"; static final int RETRIES = 3; }}\n',
    "a.php": f'<?php\nconst API_KEY = "{KEY}";\nconst RETRIES = 3;\n',
}


@pytest.mark.parametrize("path", SOURCES)
def test_no_secret_is_kept(path: str) -> None:
    record = outline(path, SOURCES[path].encode(), "0")
    kept = msgspec.msgpack.encode(record)
    assert KEY.encode() not in kept
    assert b"correct horse" not in kept
    assert b"RETRIES" in kept.upper()
    assert b"3" in kept
