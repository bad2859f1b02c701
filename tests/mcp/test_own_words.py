"""What the engine says, in the words of this front."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from protocol.methods import METHODS
from sidecar.mcp.answers import reword_for_model
from sidecar.mcp.methods import TOOLS
from tests.client.line_client import LineClient

ROOMS = ("memories", "engine", "coordination", "checkout", "store", "wire", "files", "settings")
FOREIGN = re.compile(
    r"\b(?:context|file|hooks|memory|reminder|session|sidecar|workspace)/[a-z]\w+|memory-sidecar [a-z]"
)


def hints() -> Iterator[str]:
    root = Path(__file__).resolve().parents[2] / "sidecar"
    for path in (path for room in ROOMS for path in (root / room).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                given = [*node.args, *(word.value for word in node.keywords if word.arg == "hint")]
                yield from (one.value for one in given if isinstance(one, ast.Constant) and isinstance(one.value, str))


def test_no_hint_of_the_engine_names_a_method_or_a_command() -> None:
    foreign = [hint for hint in hints() if FOREIGN.search(hint) and hint not in METHODS and " " in hint]
    assert len(foreign) > 5
    for hint in foreign:
        assert not FOREIGN.search(reword_for_model(hint)), hint


def test_every_method_is_a_tool_or_left_to_the_user() -> None:
    for name in METHODS:
        told = reword_for_model(f"Send {name} first; it helps.")
        assert not FOREIGN.search(told), name
        if told.startswith("Send"):
            assert any(tool in told for tool in TOOLS), name


def test_paths_and_other_words_stay() -> None:
    for text in ("src/memory/update.py is missing.", "The file memory/notes.md is binary.", "Give file/folder names."):
        assert reword_for_model(text) == text


def test_a_model_is_told_what_it_can_do(connect: Callable[..., LineClient]) -> None:
    client = connect()
    client.hello()
    unknown = client.tool("update_memory", id="nothing", action="verify")["content"][0]["text"]
    assert "recall shows what there is" in unknown
    made = client.tool("remember", content="Deploys happen on Mondays.", name="Deploys")["structuredContent"]["id"]
    client.tool("remember", content="Something else entirely about Tuesdays.", name="Other")
    said = [unknown, client.tool("update_memory", id=made, name="Other")["content"][0]["text"]]
    client.tool("forget", id=made)
    said.append(client.tool("update_memory", id=made, action="verify")["content"][0]["text"])
    assert "update_memory with action restore brings it back" in said[-1]
    said.append(client.tool("reminder", action="clear", id="none")["content"][0]["text"])
    assert "reminder with action list" in said[-1]
    wrong = client.tool("recall", query="x", categories=["rule"])["content"][0]["text"]
    assert "One of" in wrong
    assert "blocker" in wrong
    assert not [one for one in [*said, wrong] if FOREIGN.search(str(one))]
