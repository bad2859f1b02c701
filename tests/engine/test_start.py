"""A start imports no more than it needs, and every method has its handler."""

from __future__ import annotations

import gc
import importlib.util
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_type_hints

import msgspec

from protocol.methods import METHODS
from sidecar.engine.engine import Engine
from sidecar.engine.handlers.table import IN_WORKSPACE, OVER_ALL, TOGETHER, Handlers
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.engine.requests import Batch
from sidecar.engine.workspace_lifecycle import WorkspaceLifecycle
from sidecar.runtime.cancellation import Context
from sidecar.settings import Settings
from tests.client.fake_engine import FakeEngine
from tests.engine.conftest import MakeEngine

ROOT = Path(__file__).resolve().parents[2]
NOT_AT_START = {
    "sidecar.engine.handlers.interchange",
    "sidecar.engine.handlers.context",
    "sidecar.engine.editor.queries",
    "sidecar.engine.handlers.metrics",
    "sidecar.engine.handlers.reminders",
    "sidecar.learning.session",
    "sidecar.memories.maintenance.upkeep",
    "sidecar.memories.wording.contradiction",
    "sidecar.files.facets.admission",
    "sidecar.files.facets.talk",
    "sidecar.text.secrets.detection",
    "prometheus_client",
    "whenever",
    "tree_sitter",
    "asyncio",
    "hashlib",
    "importlib.resources",
    "zipfile",
}


def test_each_method_that_a_client_sends_has_a_handler_of_its_types_and_nothing_else_has() -> None:
    methods = {method.name: method for method in METHODS.values() if method.sender == "client"}
    handlers = Engine(Settings()).handlers
    table: dict[str, Callable[[Handlers], Any]] = {**IN_WORKSPACE, **OVER_ALL, **TOGETHER}
    answers = {name: answer_of(handlers) for name, answer_of in table.items()}
    assert answers.keys() == methods.keys()
    assert OVER_ALL.keys() == {name for name, method in methods.items() if method.workspace == "none"}
    assert TOGETHER.keys() == {name for name, method in methods.items() if method.groups_commits}
    public = {
        f"{type(answer.__self__).__name__}.{name}"
        for answer in answers.values()
        for name in vars(type(answer.__self__))
        if not name.startswith("_")
    }
    assert public == {answer.__qualname__ for answer in answers.values()}
    for name, method in methods.items():
        workspace = {} if method.workspace == "none" else {"workspace": OpenWorkspace}
        expected: dict[str, Any] = {
            "params": method.params,
            **workspace,
            "context": Context,
            "return": method.result or type(None),
        }
        if method.groups_commits:
            outcomes = Sequence[method.result | BaseException]  # type: ignore[name-defined]
            expected = {"requests": Batch[method.params], **workspace, "return": outcomes}  # type: ignore[name-defined]
        assert get_type_hints(answers[name]) == expected, name


def test_the_fake_engine_has_no_method_that_the_real_one_lacks() -> None:
    fakes = {name for name in vars(FakeEngine) if not name.startswith("_")}
    assert fakes <= {*dir(Engine), *dir(WorkspaceLifecycle)}


def loaded_by(statement: str) -> set[str]:
    code = f"import sys, {statement}\nprint(*sorted(sys.modules), sep='\\n')"
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=100
    )
    return set(out.stdout.splitlines())


def test_the_engine_starts_without_what_few_requests_need() -> None:
    assert all(map(importlib.util.find_spec, NOT_AT_START))  # a guard of a module that moved guards nothing
    assert not NOT_AT_START & loaded_by("sidecar.engine.engine")


def test_the_server_says_hello_before_it_knows_of_stores_and_files() -> None:
    loaded = {name for name in loaded_by("sidecar.lsp.language_server") if name.startswith("sidecar.")}
    assert {name for name in loaded if name.startswith("sidecar.engine")} == {"sidecar.engine", "sidecar.engine.host"}
    assert not {name.split(".")[1] for name in loaded} & {"store", "files", "interchange"}
    assert {name for name in loaded if name.startswith("sidecar.text.")} == {
        "sidecar.text.cutting",
        "sidecar.text.lazy_patterns",
    }


def test_closed_workspace_gives_back_its_resources(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], plain: Settings
) -> None:
    engine = make_engine(make_repository("stays"), make_repository("changes"))
    held = []
    for commits in (10, 20):
        for workspace in engine.workspaces.all():
            opening = workspace.operations.start("open", "asked again", lambda _: None)
            assert opening is not None
            opening.join(100)
        held += [weakref.ref(workspace.open().memory_store) for workspace in engine.workspaces.all()]
        changed = msgspec.structs.replace(plain.files, history_commits=commits)
        engine.lifecycle.reconfigure(msgspec.structs.replace(plain, files=changed))
    del workspace, opening
    until = time.monotonic() + 100
    gc.collect()
    while any(ref() is not None for ref in held):  # by the background, which may still be working
        assert time.monotonic() < until, "a store that was closed is still held"
        time.sleep(0.1)
        gc.unfreeze()  # the workspace may have opened before the line above and kept objects from then
        gc.collect()
