from __future__ import annotations

import gc
import subprocess
import sys
import time
import weakref
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import msgspec

from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.engine.handlers.registry import DESKS
from sidecar.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
NOT_AT_START = {
    "sidecar.engine.handlers.interchange",
    "sidecar.engine.handlers.boot",
    "sidecar.engine.handlers.editor",
    "sidecar.engine.handlers.metrics",
    "sidecar.engine.handlers.reminders",
    "sidecar.learning.session",
    "sidecar.memories.maintenance.upkeep",
    "sidecar.memories.contradiction",
    "sidecar.files.facets.admission",
    "sidecar.files.facets.phrases",
    "sidecar.files.facets.verbs",
    "sidecar.text.secrets",
    "prometheus_client",
    "whenever",
    "tree_sitter",
    "asyncio",
}


def test_each_method_has_exactly_one_desk_and_each_desk_what_it_is_said_to_have() -> None:
    said = [handler for handlers, _ in DESKS.values() for handler in handlers.split()]
    assert sorted(said) == sorted(row.handler for row in METHODS.values() if row.sender == "client")
    for place, (handlers, _) in DESKS.items():
        module, _, kind = place.partition(".")
        desk = getattr(import_module(f"sidecar.engine.handlers.{module}"), kind)
        assert all(callable(getattr(desk, handler)) for handler in handlers.split()), place


def loaded_by(statement: str) -> set[str]:
    code = f"import sys, {statement}\nprint(*sorted(sys.modules), sep='\\n')"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=100
    )
    return set(out.stdout.splitlines())


def test_the_engine_starts_without_what_few_requests_need() -> None:
    assert not NOT_AT_START & loaded_by("sidecar.engine.engine")


def test_the_server_says_hello_before_it_knows_of_stores_and_files() -> None:
    rooms = {
        module.split(".")[1] for module in loaded_by("sidecar.lsp.host") if module.startswith("sidecar.")
    }
    assert not rooms & {"store", "files", "exchange", "text", "engine", "workspace", "opened"}


def test_what_a_closed_workspace_held_is_given_back(
    make_engine: Callable[..., Engine], make_repository: Callable[[str], Path], plain: Settings
) -> None:
    engine = make_engine(make_repository("stays"), make_repository("changes"))
    held = []
    for commits in (10, 20):
        for workspace in engine._host.roster.all():
            opening = workspace.operations.start("open", "asked again", lambda _: None)
            assert opening is not None
            opening.join(100)
        held += [weakref.ref(workspace.open().memories) for workspace in engine._host.roster.all()]
        changed = msgspec.structs.replace(plain.files, history_commits=commits)
        engine.reconfigure(msgspec.structs.replace(plain, files=changed))
    del workspace, opening
    until = time.monotonic() + 100
    gc.collect()
    while any(ref() is not None for ref in held):  # by the background, which may still be at work
        assert time.monotonic() < until, "a store that was closed is still held"
        time.sleep(0.1)
        gc.unfreeze()  # the opening may have come before the line above, and kept what was held then
        gc.collect()
