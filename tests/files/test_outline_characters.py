"""Characters that crash a grammar's scanner must not end the process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sidecar.files.outline.grammars import parse

ROOT = Path(__file__).resolve().parents[2]


def test_a_script_with_characters_beyond_the_scanner_s_tables() -> None:
    code = "from sidecar.files.outline.grammars import parse; parse('bash', '{\\U000cd121\\n'.encode())"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=180).returncode == 0


def test_positions_stay_the_same() -> None:
    data = "# größe ✓\ngröße() { echo ✓; }\n".encode()
    tree, _ = parse("bash", data)
    (function,) = [node for node in tree.root_node.children if node.type == "function_definition"]
    name = function.child_by_field_name("name")
    assert name is not None
    assert data[name.start_byte : name.end_byte].decode() == "größe"
