"""Import of facts about files from a file."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import msgspec

from protocol.files import SummaryParams
from sidecar.engine.engine import Engine
from sidecar.engine.handlers.imported_facets import import_facets
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine

FACT = "`fetch` encodes the URL itself, because the server of old refuses whatever is quoted."
NOW = 2_000_000_000_000


def opened(engine: Engine, folder: Path) -> Any:
    return engine.lifecycle.add_workspace(folder).open()


def facts(engine: Engine) -> list[str]:
    found = EngineCalls(engine).file_summary(SummaryParams(path="app/client.py"))
    return [facet.text for facet in found.facets]


def test_a_fact_is_kept_once_and_only_when_asked(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    content = (repository / "app" / "client.py").read_bytes()
    hash = hashlib.sha256(content).hexdigest()
    lines: list[dict[str, object]] = [
        {"kind": "file", "path": "app/client.py", "hash": hash, "facets": [{"text": FACT, "createdAt": 5}]}
    ]
    data = b"\n".join(map(msgspec.json.encode, lines))
    dry = import_facets(opened(engine, repository), data, NOW, dry_run=True)
    assert [one.outcome for one in dry] == ["wouldKeep"]
    assert facts(engine) == []
    assert [one.outcome for one in import_facets(opened(engine, repository), data, NOW)] == ["kept"]
    assert facts(engine) == [FACT]
    again = import_facets(opened(engine, repository), data, NOW)
    assert [(one.outcome, one.reason) for one in again] == [("refused", "paraphrase")]


def test_facts_of_another_content_are_reported(make_engine: MakeEngine, repository: Path) -> None:
    engine = make_engine(repository)
    (repository.parent / "outside.py").write_text("def fetch(): ...\n")
    content = (repository / "app" / "client.py").read_bytes()
    lines = [
        {"path": "app/client.py", "contentHash": hashlib.sha256(b"another").hexdigest(), "facets": [FACT]},
        {"path": "../outside.py", "facets": [FACT]},
        {"path": "app/gone.py", "facets": [FACT]},
        {"path": "app/client.py", "facets": ["`frobnicate` runs first, because the scheduler wants it so."]},
        {"path": "app/client.py", "contentHash": hashlib.sha256(content).hexdigest(), "facets": [FACT]},
    ]
    data = b"\n".join(map(msgspec.json.encode, lines)) + b"\nnot json\n"
    report = import_facets(opened(engine, repository), data, NOW, format="prism")
    assert [(one.line, one.outcome) for one in report] == [
        (1, "refused"), (2, "refused"), (3, "refused"), (4, "refused"), (5, "kept"), (6, "refused"),
    ]  # fmt: skip
    assert facts(engine) == [FACT]
