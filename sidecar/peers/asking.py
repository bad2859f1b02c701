"""The short-lived process's side: ask a running server, or do the work with an engine of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from protocol.askable import ASKABLE, result_type
from sidecar.peers.sockets import GREET, Greeting, is_own, socket_folder
from sidecar.settings import Settings
from sidecar.system.unix_sockets import unix_socket
from sidecar.wire.framing import FrameDecoder
from sidecar.wire.messages import Response, frame, parse

log = logging.getLogger(__name__)

GREET_SECONDS: Final = 0.05
"""Seconds that all servers of a workspace together may take to greet."""

ANSWER_SECONDS: Final = 1.5
"""Seconds that a server that has greeted may take to answer: a hook then still has time to do the work itself."""

_CHUNK = 1 << 16


class Caller(Protocol):
    """The part of an engine's interface that is called here."""

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        """Answer one request."""


OwnEngine = TypeVar("OwnEngine", bound=Caller)


class Peer:
    """A running server that has greeted. Not thread-safe."""

    def __init__(self, connection: socket.socket, greeting: Greeting, until: float) -> None:
        self._connection = connection
        self._decoder = FrameDecoder(parse)
        self._requests = 0
        if self._exchange(GREET, greeting, until) != b"true":
            raise ConnectionRefusedError("it serves something else")

    def ask(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        """Return the method's result. Raises OSError or ValueError if the server gave none, whatever the reason."""
        answer = self._exchange(method, params, time.monotonic() + ANSWER_SECONDS)
        return msgspec.json.decode(answer, type=result_type(method))

    def close(self) -> None:
        self._connection.close()

    def _exchange(self, method: str, params: msgspec.Struct, until: float) -> bytes:
        self._requests += 1
        self._wait(until)
        self._connection.sendall(
            frame(msgspec.json.encode({"jsonrpc": "2.0", "id": self._requests, "method": method, "params": params}))
        )
        while True:
            self._wait(until)
            data = self._connection.recv(_CHUNK)
            if not data:
                raise ConnectionResetError("the server hung up")
            for message in self._decoder.feed(data):
                if not isinstance(message, Response) or message.id != self._requests or message.result is None:
                    raise ValueError("the server did not answer")
                return bytes(message.result)

    def _wait(self, until: float) -> None:
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise TimeoutError("the server took too long")
        self._connection.settimeout(remaining)


def find(greeting: Greeting) -> Peer | None:
    """Return the first server of a workspace that greets, newest first, or None."""
    folder = socket_folder(make=False)
    if folder is None:
        return None
    until = time.monotonic() + GREET_SECONDS
    try:
        paths = [path for path in folder.iterdir() if path.name.startswith(f"{greeting.prefix()}-")]
    except OSError:
        return None
    for path in sorted(paths, key=_modified_at, reverse=True):
        if time.monotonic() >= until:
            break
        connection = unix_socket()
        try:
            connection.settimeout(max(0.001, until - time.monotonic()))
            connection.connect(str(path))
            if is_own(connection):
                return Peer(connection, greeting, until)
        except ConnectionRefusedError as error:
            if error.errno is not None:  # nothing listens any more: the server was killed
                with contextlib.suppress(OSError):
                    path.unlink()
        except (OSError, ValueError) as error:
            log.debug("The server at %s was not asked: %s", path.name, error)
        connection.close()
    return None


class PeerOrEngine(Generic[OwnEngine]):
    """Answers requests through a running server where possible, else through an engine opened when first needed.

    Once the engine is open it answers everything, so that what it writes is read back. Leave the block to close both.
    """

    def __init__(
        self,
        data_home: Path,
        folder: Path,
        settings: Settings,
        own: Callable[[], contextlib.AbstractContextManager[OwnEngine]],
    ) -> None:
        self._greeting = Greeting.of(data_home, folder, settings)
        self._own = own
        self._engine: OwnEngine | None = None
        self._peer: Peer | None = None
        self._searched = self._gave_up = False
        self._closing = contextlib.ExitStack()

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        """Answer one request. Raises `SidecarError` like `Engine.call`: an error always comes from our own engine."""
        if self._engine is None and method in ASKABLE:
            answer = self._ask_peer(method, params)
            if answer is not None:
                return answer
            if self._gave_up and method == "memory/inject":
                # The server may already count as shown what nobody has seen.
                params = msgspec.structs.replace(params, exclude_shown=False)
        return self.engine().call(method, params)

    def engine(self) -> OwnEngine:
        """Return our own engine, opened if need be; it answers everything from now on."""
        if self._engine is None:
            self._engine = self._closing.enter_context(self._own())
        return self._engine

    def _ask_peer(self, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        if not self._searched:
            self._searched = True
            self._peer = find(self._greeting)
        if self._peer is None:
            return None
        try:
            return self._peer.ask(method, params)
        except (OSError, ValueError) as error:  # a msgspec error is a ValueError
            log.debug("A running server did not answer %s: %s", method, error)
            self._peer.close()
            self._peer, self._gave_up = None, True
            return None

    def __enter__(self) -> PeerOrEngine[OwnEngine]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._peer is not None:
            self._peer.close()
        self._closing.close()


def _modified_at(path: Path) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
