"""Progress of a slow call, for a client that gave a token: how many files are read of those there are."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from sidecar.mcp.home import Desk
from sidecar.runtime.errors import SidecarError
from sidecar.runtime.lanes import LaneName

EVERY_SECONDS = 0.5


class Progress:
    """Reports while the body runs. Does nothing without a token, or for what is not slow."""

    def __init__(self, meta: Any, desk: Desk, lane: LaneName, notify: Callable[[str, Any], None]) -> None:
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        self._token = token if isinstance(token, (str, int)) and not isinstance(token, bool) else None
        self._desk = desk
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
        told = -1.0
        while True:
            try:
                done, total = self._desk.reading()
            except SidecarError:
                return
            # The number must grow with each report, also while no file was finished.
            told = max(float(done), told + 0.001)
            params: dict[str, Any] = {
                "progressToken": self._token,
                "progress": told,
                "message": "reading files",
            }
            if total > told:
                params["total"] = total
            self._notify("notifications/progress", params)
            if self._over.wait(EVERY_SECONDS):
                return
