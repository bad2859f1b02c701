"""Every struct that a server decodes is analysed before threads meet in it; see `sidecar.engine.decoder_warmup`."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.engine.conftest import python

ROOT = Path(__file__).resolve().parents[2]

STARTS = {
    "lsp": "from sidecar.engine.host import start_engine as start\nimport sidecar.lsp.server",
    "mcp": "from sidecar.engine.host import start_engine as start\nimport sidecar.mcp.server",
}

# Modules of processes that decode on one thread.
ELSEWHERE = ("sidecar.cli", "sidecar.hooks", "sidecar.peers.asking", "sidecar.__main__")

# Calls that do not name the type; its possible values are structs that are checked anyway.
TOLD_BY_THE_CALLER = {
    "sidecar.engine.mapping.to_wire",  # results of the method table
    "sidecar.interchange.jsonl._read_record",  # stored records
    "sidecar.mcp.tool_call.send",  # parameters of the method table
    "sidecar.mcp.methods._call",  # arguments of the tools
    "sidecar.settings.table.convert",  # plain values
    "sidecar.store.codec.__init__",  # stored records
    "sidecar.engine.decoder_warmup.warm_up_decoders",
    "sidecar.wire.params._decode_leniently",  # parameters of the method table
    "sidecar.wire.params.decode_params",  # the same
}

# The only thread at that time, and the only one that ever decodes that struct.
ALONE = {"sidecar.lsp.early_initialize.answer_early", "sidecar.lsp.protocol._on_cancel"}

LOOK = """
import ast, gc, importlib, pkgutil, sys, typing
from types import SimpleNamespace
import msgspec

{start}
from sidecar.settings import Settings
start(SimpleNamespace(settings=Settings(), problems=[]), keeps_journals=True).close()

import sidecar
for found in pkgutil.walk_packages(sidecar.__path__, "sidecar."):
    if not found.name.startswith({elsewhere}) and not found.name.endswith("__main__"):
        importlib.import_module(found.name)  # as a thread that first needs it would

def is_ready(kind):
    if issubclass(kind, msgspec.Struct):
        return any(type(each).__name__ == "StructInfo" for each in gc.get_referents(kind))
    return "__msgspec_cache__" in vars(kind)

seen = set()
def look(kind, where):
    for part in typing.get_args(kind):
        if not isinstance(part, str):
            look(part, where)
    if not isinstance(kind, type) or kind in seen:
        return
    named = issubclass(kind, tuple) and hasattr(kind, "_fields")
    if named or hasattr(kind, "__dataclass_fields__") or issubclass(kind, msgspec.Struct):
        seen.add(kind)
        if kind is not msgspec.Struct and not is_ready(kind):
            print("not ready:", kind.__module__, kind.__qualname__, "for", where)
        for field in typing.get_type_hints(kind).values():
            look(field, where)

def calls(tree):
    for function in ast.walk(tree):
        if isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for call in ast.walk(function):
                if isinstance(call, ast.Call):
                    yield function.name, call

def wanted(call):
    name = ast.unparse(call.func)
    place = {{"msgspec.convert": 1, "msgspec.json.Decoder": 0, "msgspec.msgpack.Decoder": 0,
             "msgspec.json.decode": 1, "msgspec.msgpack.decode": 1}}.get(name)
    if place is None:
        return None
    return next((word.value for word in call.keywords if word.arg == "type"), *[
        call.args[place] if len(call.args) > place else None])

read = 0
for name, module in sorted(sys.modules.items()):
    if not name.startswith("sidecar") or name.startswith({elsewhere}) or not getattr(module, "__file__", None):
        continue
    for function, call in calls(ast.parse(open(module.__file__).read())):
        kind = wanted(call)
        place = name + "." + function
        if kind is None or place in {told}:
            continue
        read += 1
        try:
            look(eval(ast.unparse(kind), vars(module)), place)
        except NameError as error:
            print("its type is a variable:", place, error)

from protocol.methods import METHODS
from sidecar.store import records
for row in METHODS.values():
    look(row.params, "parameters of " + row.name)
    if row.result is not None:
        look(row.result, "result of " + row.name)
for kind in vars(records).values():
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        look(kind, "a stored record")
if {front!r} == "mcp":
    from sidecar.mcp.methods import TOOLS
    for tool in TOOLS.values():
        look(tool.arguments, "arguments of a tool")
print(read >= 10, len(seen) >= 120)
"""


@pytest.mark.parametrize("front", STARTS)
def test_structs_that_are_first_read_on_a_thread_are_worked_out_before(front: str) -> None:
    code = LOOK.format(start=STARTS[front], elsewhere=ELSEWHERE, told=TOLD_BY_THE_CALLER | ALONE, front=front)
    done = python(code)
    assert (done.stdout, done.stderr) == ("True True\n", "")
