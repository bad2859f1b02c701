"""The engine requests of one tool, resource or prompt, for one workspace and session, and their progress."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

import msgspec

from protocol.calls import Calls
from protocol.files import HandoffParams
from protocol.memories import InjectParams
from protocol.methods import METHODS
from protocol.status import StatusParams
from sidecar.engine.start_text import MIN_LINES, StartText, start_text
from sidecar.mcp.served_folders import ServedFolders
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import InvalidField, SidecarError
from sidecar.runtime.lanes import LaneName
from sidecar.text import fence
from sidecar.wire.params import invalid_params

MAX_PROMPT_CHARS = 200_000
PROGRESS_EVERY_SECONDS = 0.5


class ToolCall(Calls):
    """What one tool call may ask of the engine. Each request gets the call's workspace, and ends if it is cancelled."""

    def __init__(self, folders: ServedFolders, session_id: str, workspace: str | None, context: Context) -> None:
        self.session_id = session_id
        self._folders = folders
        self._context = context
        self._workspace_name = workspace

    def request(self, method: str, params: object) -> Any:
        return self.send(method, msgspec.to_builtins(params))

    def send(self, method: str, params: Mapping[str, object]) -> Any:
        """Call a method with those of the parameters, by wire name, that are not None."""
        engine, kind = self._folders.engine(), METHODS[method].params
        fields = {key: value for key, value in params.items() if value is not None}
        if "workspaceUri" in kind.__struct_encode_fields__:
            fields["workspaceUri"] = self._folders.workspace(self._workspace_name)
        try:
            struct = msgspec.convert(fields, kind)
        except msgspec.ValidationError as error:
            raise invalid_params(error, kind) from None
        return engine.call(method, struct, self._context)

    def wait_for_engine(self) -> None:
        """Wait for the engine, because nobody may decode a struct before it exists. Raises `SidecarError`."""
        self._folders.engine()

    def start_text(
        self, budget: int | None = None, *, prompt: str | None = None, files: Sequence[str] | None = None
    ) -> StartText:
        """Return the text for the start of a session, within a budget (by default, the setting's)."""
        engine = self._folders.engine()  # called first, because it opens the folders
        if prompt is not None and len(prompt) > MAX_PROMPT_CHARS:
            raise InvalidField(f"A prompt has at most {MAX_PROMPT_CHARS:,} characters.", path="$.prompt")
        uri = self._folders.workspace(self._workspace_name)
        settings = self._folders.settings(uri).memory
        budget, lines = budget or settings.inject_budget_tokens, settings.inject_max_lines
        handoff = self._handoff_text(uri, budget // 4)
        params = InjectParams(
            session_id=self.session_id,
            prompt=prompt,
            files=list(files or ()),
            max_lines=None if lines is None else max(MIN_LINES, lines - handoff.text.count("\n")),
            workspace_uri=uri,
        )
        start = start_text(partial(engine.call, context=self._context), params, budget - handoff.tokens)
        return StartText(fence.merge_blocks(start.text, handoff.text), start.tokens + handoff.tokens)

    def record_in_hand(self, path: str) -> None:
        """Record the relative path of a file that the caller has in hand."""
        item = (self._folders.workspace(self._workspace_name), path)
        with suppress(ValueError):
            self._folders.in_hand.remove(item)
        self._folders.in_hand.append(item)

    def _handoff_text(self, uri: str, tokens: int) -> StartText:
        """Return a line for each file in hand; no text if the lines exceed `tokens` tokens together."""
        files = [path for folder, path in tuple(self._folders.in_hand) if folder == uri]
        handoff = self.file_handoff(HandoffParams(session_id=self.session_id, files=files))
        return StartText(handoff.text, handoff.tokens) if handoff.tokens <= tokens else StartText("", 0)

    def files_read_ahead(self) -> tuple[int, int]:
        """Return how many files were read ahead, and of how many."""
        rows = self.sidecar_status(StatusParams()).workspaces
        return sum(row.warmup.done for row in rows), sum(row.warmup.total for row in rows)


@contextmanager
def reporting_progress(meta: Any, call: ToolCall, lane: LaneName, notify: Callable[[str, Any], None]) -> Iterator[None]:
    """Report, during a slow call, how many files were read; only if `meta` has the client's progress token."""
    token = meta.get("progressToken") if isinstance(meta, dict) else None
    if lane != "slow" or not isinstance(token, (str, int)) or isinstance(token, bool):
        yield
        return
    over = threading.Event()
    thread = threading.Thread(target=_report, args=(token, call, notify, over), name="mcp-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _report(token: str | int, call: ToolCall, notify: Callable[[str, Any], None], over: threading.Event) -> None:
    reported = -1.0
    while True:
        try:
            done, total = call.files_read_ahead()
        except SidecarError:
            return
        reported = max(float(done), reported + 0.001)  # MCP demands that the number grows with each report
        params = {"progressToken": token, "progress": reported, "message": "reading files"}
        if total > reported:
            params["total"] = total
        notify("notifications/progress", params)
        if over.wait(PROGRESS_EVERY_SECONDS):
            return
