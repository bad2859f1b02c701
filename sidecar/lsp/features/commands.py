"""`workspace/executeCommand`: every action, as a command that needs no plugin.

Most commands call a method of the table. The argument is one object with the method's parameters, an id, or the words
of a search; the answer is the method's result. The outcome is also shown with `window/showMessage`, unless the argument
has `"quiet": true`, as plugins ask that show it themselves. `"open": true` shows the memory afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec
from lsprotocol import types

from protocol.methods import Method
from sidecar.engine.editor.views import MemoryPlace
from sidecar.lsp.features import messages
from sidecar.lsp.features.asking import Asking, in_lane
from sidecar.lsp.language_server import SidecarServer
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import InvalidField, MemoryNotFound
from sidecar.wire.params import decode_params

if TYPE_CHECKING:
    from sidecar.engine.editor.queries import EditorQueries

PREFIX: Final = "memorySidecar."
SHOW_MEMORY: Final = f"{PREFIX}showMemory"
SHOW_FILE: Final = f"{PREFIX}showFile"

_MEMORY_COMMANDS: Final = (
    "record update resolve reopen archive restore verify promote delete undo redo history candidates confirm reject "
    "maintain search list inject"
)
METHODS: Final = {
    **{name: f"memory/{name}" for name in _MEMORY_COMMANDS.split()},
    "summary": "file/summary",
    "status": "sidecar/status",
}
"""Methods to call, by command name without its prefix."""

_SHORT: Final = {"search": "query", "summary": "path", "inject": "prompt", "record": "content"}
"""The parameter that a plain text argument stands for; in all other commands the text is an id."""


def command(name: str) -> str:
    return f"{PREFIX}{name}"


def register(server: SidecarServer) -> None:
    for name in METHODS:
        server.command(command(name))(_never_called)
    for shown in (SHOW_MEMORY, SHOW_FILE):
        server.command(shown)(_never_called)

    def executed(params: types.ExecuteCommandParams) -> Asking[Any]:
        return (yield from _execute(server, params))

    server.feature(types.WORKSPACE_EXECUTE_COMMAND)(executed)


def _execute(server: SidecarServer, params: types.ExecuteCommandParams) -> Asking[Any]:
    """Execute one command. Raises `InvalidField` and whatever the engine raises."""
    name = params.command.removeprefix(PREFIX)
    if params.command not in server.protocol.fm.commands:
        raise InvalidField(
            f"There is no command {params.command[:100]!r}.",
            path="$.command",
            hint=f"Commands are {', '.join(sorted(server.protocol.fm.commands))}.",
        )
    arguments = _parameters(name, params.arguments)
    quiet, opens = _flag(arguments, "quiet"), _flag(arguments, "open")
    if params.command == SHOW_FILE:
        text, ids = yield from in_lane(server, "read", lambda: _text_about_file(_editor(server), arguments))
        _show(server, text, quiet)
        return {"text": text, "ids": ids}
    if params.command == SHOW_MEMORY:
        return (yield from _show_memory(server, arguments, quiet))
    method = server.connection.methods.get(METHODS[name])
    if method is None:
        raise InvalidField(f"{METHODS[name]} is not served here.", path="$.command")
    answer, place = yield from in_lane(server, method.lane, lambda: _result_and_place(server, method, arguments, opens))
    _show(server, messages.of_result(name, answer), quiet)
    if place is not None:
        _open(server, place)
    return answer


def _result_and_place(
    server: SidecarServer, method: Method, arguments: dict[str, Any], opens: bool
) -> tuple[Any, MemoryPlace | None]:
    if isinstance(arguments.get("id"), str) and "workspaceUri" not in arguments:
        # Actions give only the memory's id, even when several folders are open.
        home = _editor(server).workspace_uri_of(arguments["id"])
        arguments = arguments if home is None else {**arguments, "workspaceUri": home}
    decoded = decode_params(msgspec.Raw(msgspec.json.encode(arguments)), method.params)
    answer = msgspec.to_builtins(server.engine().call(method.name, decoded, Context(by_person=True)))
    id = _id_in(answer)
    wanted = opens and server.client.show_document and id is not None
    return answer, _editor(server).place(str(id), write=True) if wanted else None


def _show_memory(server: SidecarServer, arguments: dict[str, Any], quiet: bool) -> Asking[Any]:
    id = arguments.get("id")
    if not isinstance(id, str):
        raise InvalidField("Name the memory by its id.", path="$.arguments[0].id")

    def find() -> tuple[Any, str, MemoryPlace | None]:
        editor = _editor(server)
        memory = editor.memory(id)
        if memory is None:
            raise MemoryNotFound("No memory has this id.", path="$.arguments[0].id")
        return msgspec.to_builtins(memory), messages.memory(memory, editor.now()), editor.place(id)

    memory, text, place = yield from in_lane(server, "read", find)
    if place is not None and server.client.show_document and not quiet:
        _open(server, place)
    else:
        _show(server, text, quiet)
    where = None if place is None else {"uri": place.uri, "line": place.first}
    return {"memory": memory, "text": text, "place": where}


def _text_about_file(editor: EditorQueries, arguments: dict[str, Any]) -> tuple[str, list[str]]:
    """Return what is known about a file or one of its symbols, and the ids of the memories."""
    uri, symbol = arguments.get("uri"), arguments.get("symbol")
    if not isinstance(uri, str):
        raise InvalidField("Name the file by its URI.", path="$.arguments[0].uri")
    if symbol is not None and not isinstance(symbol, str):
        raise InvalidField("A symbol is a text.", path="$.arguments[0].symbol")
    view = editor.file(uri)
    if view is None:
        return "Nothing is remembered about this file.", []
    ids = [memory.id for memory in view.memories if symbol is None or symbol in memory.symbols]
    return messages.file(view, symbol, editor.now()), ids


def _open(server: SidecarServer, place: MemoryPlace) -> None:
    start = types.Position(place.first, 0)
    server.window_show_document(
        types.ShowDocumentParams(uri=place.uri, take_focus=True, selection=types.Range(start, start)), lambda _: None
    )


def _show(server: SidecarServer, text: str, quiet: bool) -> None:
    if not quiet:
        server.folders.show(text, types.MessageType.Info)


def _editor(server: SidecarServer) -> EditorQueries:
    return server.engine().editor


def _parameters(name: str, arguments: Sequence[Any] | None) -> dict[str, Any]:
    """Turn the arguments of a command into parameters: one object, a plain text (see `_SHORT`), or nothing."""
    if not arguments:
        return {}
    if len(arguments) > 1:
        raise InvalidField("A command takes one argument.", path="$.arguments[1]")
    (only,) = arguments
    if isinstance(only, str):
        return {_SHORT.get(name, "id"): only}
    if only is None:
        return {}
    if not isinstance(only, dict):
        raise InvalidField("The argument of a command is an object or a text.", path="$.arguments[0]")
    return dict(only)


def _flag(arguments: dict[str, Any], name: str) -> bool:
    value = arguments.pop(name, False)
    if not isinstance(value, bool):
        raise InvalidField(f"{name} is true or false.", path=f"$.arguments[0].{name}")
    return value


def _id_in(answer: Any) -> object:
    if not isinstance(answer, dict):
        return None
    memory = answer.get("memory")
    return memory.get("id") if isinstance(memory, dict) else answer.get("id")


def _never_called() -> None:
    """Stand for a command in pygls's list of capabilities; `_execute` does the work."""
