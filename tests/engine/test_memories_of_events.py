"""Memories learned from events say nothing about the content of files: an edit does not make them suspect."""

from __future__ import annotations

from pathlib import Path

from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine


def test_an_error_and_its_fix_hold_after_the_next_edit(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    place = repository / "app" / "settings.toml"
    place.write_text("retries = 3\n")

    call = MethodCaller(engine)

    def run(code: int, output: str, command: str = "pytest -q") -> None:
        call("event/toolResult", sessionId="s", tool="Bash", input={"command": command}, output=output, exitCode=code)

    run(1, "ERROR: app/settings.toml: unknown key 'retries'\n1 error in 0.1s")
    given = {"file_path": str(place), "old_string": "retries", "new_string": "attempts"}
    call("event/toolResult", sessionId="s", tool="Edit", input=given, output="ok")
    run(0, "1 passed")
    call("session/end", sessionId="s")
    (waiting,) = call("memory/candidates").items
    memory = call("memory/confirm", id=waiting.id).memory
    assert [(reference.path, reference.hash) for reference in memory.references if reference.path] == [
        ("app/settings.toml", None)
    ]
    place.write_text("port = 1\n")
    engine.files_changed([place.as_uri()])
    assert call("memory/get", id=memory.id).status == "active"
