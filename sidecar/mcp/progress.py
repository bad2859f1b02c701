"""Send the progress of a slow call to the client."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from sidecar.mcp.tool_call import ToolCall
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.lanes import LaneName

EVERY_SECONDS = 0.5


@contextmanager
def reporting_progress(meta: Any, call: ToolCall, lane: LaneName, notify: Callable[[str, Any], None]) -> Iterator[None]:
    """Report the number of files read during a slow call, if the client gave a progress token in `meta`."""
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
        if over.wait(EVERY_SECONDS):
            return
