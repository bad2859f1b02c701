"""Send the progress of a slow call to the client."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from sidecar.mcp.tool_call import ToolCall
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.lanes import LaneName

EVERY_SECONDS = 0.5


class Progress:
    """Reports the number of files read during a slow call, if the client gave a progress token."""

    def __init__(self, meta: Any, call: ToolCall, lane: LaneName, notify: Callable[[str, Any], None]) -> None:
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        self._call = call
        self._notify = notify
        self._over = threading.Event()
        self._wanted = self._token is not None and lane == "slow"
        self._thread: threading.Thread | None = None

    def __enter__(self) -> None:
        if self._wanted:
            self._thread = threading.Thread(target=self._run, name="mcp-progress", daemon=True)
            self._thread.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _run(self) -> None:
        reported = -1.0
        while True:
            try:
                done, total = self._call.reading()
            except SidecarError:
                return
            # MCP demands that the number grows with each report.
            reported = max(float(done), reported + 0.001)
            params = {"progressToken": self._token, "progress": reported, "message": "reading files"}
            if total > reported:
                params["total"] = total
            self._notify("notifications/progress", params)
            if self._over.wait(EVERY_SECONDS):
                return
