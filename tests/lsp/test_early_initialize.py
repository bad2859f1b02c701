"""`initialize` is answered before pygls is imported, with exactly what pygls would answer."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.lsp import early_initialize, offered
from sidecar.wire.messages import Request
from tests.client.json_value import Json
from tests.client.stdio_client import StdioClient

ROOT = Path(__file__).resolve().parents[2]
EDITORS = {
    name: one["capabilities"]
    for name, one in json.loads((Path(__file__).parent / "data/editors.json").read_text()).items()
}
FLAG = st.booleans() | st.none()
SHOWN = ("hover", "codeLens", "codeAction", "documentSymbol", "foldingRange", "completion", "formatting")


def group(*names: str) -> st.SearchStrategy[dict[str, object] | None]:
    return st.none() | st.fixed_dictionaries({}, optional=dict.fromkeys(names, FLAG))


CAPABILITIES = st.fixed_dictionaries(
    {},
    optional={
        "general": st.fixed_dictionaries(
            {},
            optional={
                "positionEncodings": st.none()
                | st.lists(st.sampled_from(("utf-8", "utf-16", "utf-32", "utf-7")), max_size=3)
            },
        ),
        "textDocument": st.fixed_dictionaries(
            {},
            optional={
                **dict.fromkeys(SHOWN, group("dynamicRegistration")),
                "diagnostic": group("dynamicRegistration"),
                "synchronization": group("willSave", "willSaveWaitUntil", "didSave"),
            },
        ),
        "workspace": st.fixed_dictionaries(
            {},
            optional={
                "diagnostics": group("refreshSupport"),
                "codeLens": group("refreshSupport"),
                "fileOperations": group("didCreate", "didRename", "willRename", "didDelete"),
            },
        ),
        "experimental": st.fixed_dictionaries({"memorySidecar": st.just({"person": True})}),
    },
)


def greeted(declared: object, **fields: object) -> object:
    params = {"processId": None, "rootUri": None, "capabilities": declared, **fields}
    answer = early_initialize.answer_early(Request(1, "initialize", msgspec.Raw(msgspec.json.encode(params))))
    if answer is None:
        return None
    return msgspec.json.decode(answer[1].split(b"\r\n\r\n", 1)[1])["result"]


def test_offered_capabilities_are_current() -> None:
    assert early_initialize.OFFERED.read_bytes() == offered.rendered(), "run python -m sidecar.lsp.offered"


@pytest.mark.parametrize("name", EDITORS)
def test_real_editors_are_told_what_pygls_computes(name: str) -> None:
    told = greeted(EDITORS[name], clientInfo={"name": name}, rootUri="file:///tmp/a", trace="off")
    assert told == offered.computed(EDITORS[name])


@given(CAPABILITIES)
def test_any_client_is_told_what_pygls_computes(declared: dict[str, Json]) -> None:
    assert greeted(declared) == offered.computed(declared)


@pytest.mark.parametrize(
    "fields",
    [
        {"processId": "7"},
        {"processId": 2**40},
        {"rootUri": 5},
        {"rootUri": "file://[x"},
        {"rootUri": "untitled:1"},
        {"rootPath": "relative"},
        {"workspaceFolders": [{"uri": "file:///a"}]},
        {"workspaceFolders": [{"uri": "file:///a\u0000", "name": "a"}]},
        {"clientInfo": {}},
        {"trace": "loud"},
        {"capabilities": []},
        {"capabilities": {"textDocument": {"hover": 5}}},
        {"capabilities": {"general": {"positionEncodings": "utf-8"}}},
        {"capabilities": {"workspace": {"fileOperations": {"didRename": "yes"}}}},
    ],
    ids=str,
)
def test_an_unusual_client_is_left_to_the_whole_server(fields: dict[str, object]) -> None:
    assert greeted({}) is not None
    assert greeted(**{"declared": {}, **fields}) is None


def test_greeting_needs_neither_pygls_nor_the_engine() -> None:
    code = (
        "import sys, msgspec, sidecar.lsp.process, sidecar.lsp.server\n"
        "from sidecar.lsp.inbox import answer_early\n"
        "from sidecar.wire.messages import Request\n"
        'assert answer_early(Request(1, "initialize", msgspec.Raw(b\'{"capabilities":{}}\')))\n'
        "print(*sorted({name.split('.')[0] for name in sys.modules} | set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True, timeout=300
    )
    heavy = {"pygls", "lsprotocol", "cattrs", "attrs", "click", "rich", "diskcache", "sqlite3", "sidecar.engine.engine"}
    assert not set(done.stdout.split()) & heavy


def test_requests_sent_with_initialize_are_answered_in_order(tmp_path: Path) -> None:
    hello: dict[str, object] = {"processId": None, "rootUri": None, "capabilities": {}}
    with StdioClient(cwd=tmp_path, env={"HOME": str(tmp_path)}) as client:
        first = client.start("initialize", hello)
        again = client.start("initialize", hello)
        client.notify("initialized", {})
        unknown = client.start("no/such", {})
        assert "capabilities" in client.response(first)["result"]
        assert client.response(again)["error"]["code"] == -32600
        assert client.response(unknown)["error"]["code"] == -32601
