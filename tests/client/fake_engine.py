"""An engine for tests of the front: it answers at once, slowly, never or badly, and tells what it was told.

Run as a program it is a server on stdio, with this engine behind it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import msgspec

from protocol.methods import METHODS, Method
from protocol.wire import Limit, Params, Result
from sidecar.runtime.cancellation import Context
from sidecar.runtime.errors import FileUnavailable, MemoryNotFound, SidecarError

if TYPE_CHECKING:
    from sidecar.engine.engine import Engine
    from sidecar.engine.host import Notify
    from sidecar.lsp.client_folders import ServerOptions
    from sidecar.settings import LoadedSettings


class EchoParams(Params, frozen=True):
    text: str = ""
    limit: Limit = 10
    files: list[str] = []
    extra: object = None


class EchoResult(Result, frozen=True):
    text: str
    size: int = 0


class SleepParams(Params, frozen=True):
    seconds: float = 0.0
    checks: bool = True
    text: str = ""
    tells: bool = False  # when it begins and when it ends, by notifications


class NoParams(Params, frozen=True):
    pass


class SeenResult(Result, frozen=True):
    events: list[str]


class FailParams(Params, frozen=True):
    how: str


class FakeNotice(Result, frozen=True):
    text: str


TEST_METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(name="test/echo", params=EchoParams, result=EchoResult, summary="Answer at once."),
        Method(name="test/read", params=SleepParams, result=SeenResult, summary="Answer after a while."),
        Method(name="test/write", params=SleepParams, result=SeenResult, lane="write", summary="Note a text."),
        Method(name="test/slow", params=SleepParams, result=SeenResult, lane="slow", summary="Be slow."),
        Method(name="test/seen", params=NoParams, result=SeenResult, summary="What was told to the engine."),
        Method(name="test/fail", params=FailParams, result=SeenResult, summary="Fail in some way."),
        Method(name="test/print", params=NoParams, result=SeenResult, summary="Write to stdout by mistake."),
        Method(name="test/notify", params=EchoParams, result=SeenResult, summary="Send a notification."),
        Method(name="test/event", params=EchoParams, lane="write", summary="A notification of the client."),
        Method(name="test/didNotify", params=FakeNotice, sender="sidecar", summary="A notice."),
    )
}


@dataclass
class FakeLoaded:
    settings: dict[str, object] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def fake_load(
    folder: Path | None,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    configuration: Mapping[str, object] | None = None,
) -> FakeLoaded:
    merged = {**(options or {}), **(configuration or {})}
    problems = [f"{key}: no such setting" for key in merged if key.startswith("bad")]
    return FakeLoaded(merged, problems)


class FakeEngine:
    """Keeps a list of everything that it was told."""

    @property
    def editor(self) -> object:
        raise SidecarError("The fake engine serves no editors.")

    def __init__(self, loaded: Any, notify: Notify) -> None:
        self.settings = loaded.settings
        self.lifecycle = self
        if loaded.settings.get("refuse"):
            raise SidecarError("The fake engine refuses to start.")
        time.sleep(float(str(loaded.settings.get("startSeconds", 0))))
        self.notify = notify
        self.seen: list[str] = [f"settings {sorted(loaded.settings)}"]
        self._cancel_warm_up = threading.Event()

    def subscribe(self, listener: Callable[..., object]) -> None:
        """Nothing changes here."""

    def add_workspace(
        self,
        folder: Path,
        *,
        settings: Any = None,
        client_watches: bool = False,
        uri: str | None = None,
        problems: Sequence[str] = (),
    ) -> object:
        time.sleep(float(str(self.settings.get("openSeconds", 0))))
        self.seen.append(f"open {folder} {client_watches}")
        return None

    def close_workspace(self, uri: str) -> None:
        self.seen.append(f"close {uri}")

    def files_changed(self, uris: Sequence[str]) -> None:
        if any(uri.endswith("/raise") for uri in uris):
            raise ValueError("secret content")
        self.seen.append(f"changed {' '.join(uris)}")

    def files_renamed(self, pairs: Sequence[tuple[str, str]]) -> None:
        self.seen.extend(f"renamed {old} {new}" for old, new in pairs)

    def reconfigure(self, settings: object, problems: Sequence[str] = (), load: Any = None) -> None:
        self.seen.append(f"reconfigure {settings}")

    def warm_up(self, progress: Callable[[int, int, str], None] | None, cause: str, *, if_set: bool = False) -> None:
        self.seen.append(f"warm {cause}")
        steps = int(str(self.settings.get("warmSteps", 0)))
        for step in range(steps):
            if progress is not None:
                progress(step, steps, f"file{step}.py")
            if self._cancel_warm_up.wait(0.15):
                self.seen.append("warm-up cancelled")
                return
        self.seen.append("warm-up done")

    def cancel_warm_up(self) -> None:
        self._cancel_warm_up.set()

    def stop_learning(self) -> None:
        """Nothing is noted."""

    def store_lessons(self) -> None:
        self.seen.append("settle")

    def close(self) -> None:
        time.sleep(float(str(self.settings.get("closeSeconds", 0))))
        marker = self.settings.get("closeMarker")
        if marker:
            Path(str(marker)).write_text("closed")

    def call(self, method: str, params: Any, context: Context | None = None) -> msgspec.Struct | None:
        handler: Callable[[Any, Context], msgspec.Struct | None] = getattr(self, "_" + method.split("/")[1])
        return handler(params, context or Context())

    def _echo(self, params: EchoParams, _: Context) -> EchoResult:
        return EchoResult(text=params.text, size=len(params.text))

    def _sleep(self, params: SleepParams, context: Context) -> SeenResult:
        if params.tells:
            self.notify("test/didNotify", FakeNotice(text="began"))
        end = time.monotonic() + params.seconds
        while time.monotonic() < end:
            time.sleep(0.005)
            if params.checks:
                try:
                    context.check()
                except SidecarError:
                    self.seen.append(f"cancelled {params.text}")
                    raise
        if params.tells:
            self.notify("test/didNotify", FakeNotice(text="ended"))
        return SeenResult(events=list(self.seen))

    _read = _slow = _sleep

    def _write(self, params: SleepParams, context: Context) -> SeenResult:
        self._sleep(params, context)
        self.seen.append(f"wrote {params.text}")
        return SeenResult(events=list(self.seen))

    def _seen(self, _: NoParams, __: Context) -> SeenResult:
        return SeenResult(events=list(self.seen))

    def _event(self, params: EchoParams, _: Context) -> None:
        self.seen.append(f"event {params.text}")

    def _notify(self, params: EchoParams, _: Context) -> SeenResult:
        self.notify("test/didNotify", FakeNotice(text=params.text))
        return SeenResult(events=[])

    def _print(self, _: NoParams, __: Context) -> SeenResult:
        print("stray print")
        sys.stdout.flush()
        os.write(1, b"Content-Length: 5\r\n\r\nstray")
        read = subprocess.run(["sh", "-c", "echo child; cat"], capture_output=False, check=True)
        return SeenResult(events=[str(read.returncode)])

    def _fail(self, params: FailParams, _: Context) -> SeenResult:
        if params.how == "found":
            raise MemoryNotFound("No memory has this id.", path="$.id", hint="List them.")
        if params.how == "file":
            raise FileUnavailable("It is a directory.", reason="directory")
        if params.how == "surrogate":
            return SeenResult(events=["\ud800"])
        if params.how == "exit":
            raise SystemExit(3)
        raise ValueError("secret content of a memory")


def fake_options(environ: Mapping[str, str], methods: Mapping[str, Method] = TEST_METHODS) -> ServerOptions:
    """Options of a server with this engine behind it."""
    from sidecar.lsp.client_folders import ServerOptions

    make_engine = cast("Callable[[LoadedSettings, Notify], Engine]", FakeEngine)
    load = cast("Callable[..., LoadedSettings]", fake_load)
    return ServerOptions(make_engine, load, environ, methods)


def main() -> int:
    from sidecar.lsp.server import serve

    return serve(fake_options(os.environ, {**METHODS, **TEST_METHODS}))


if __name__ == "__main__":
    sys.exit(main())
