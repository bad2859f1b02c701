"""How a short-lived process gets an answer: from a running server, or from an engine of its own."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, Generic, Protocol, TypeVar

import msgspec

from protocol.askable import ASKABLE, result_type
from sidecar.peers.sockets import GREET, Greeting, is_own, socket_folder
from sidecar.settings import Settings
from sidecar.wire.framing import FrameDecoder
from sidecar.wire.messages import Response, frame, parse

log = logging.getLogger(__name__)

# One of a workspace's servers must greet within this time.
GREET_SECONDS: Final = 0.05
# A server that greeted must answer within this time, so that a hook can still do the work itself.
PEER_ANSWER_SECONDS: Final = 1.5
_CHUNK = 1 << 16


class Caller(Protocol):
    """The part of an engine's interface that this module calls."""

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
            raise ConnectionRefusedError("the server serves another workspace, version or settings")

    def ask(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        """Return the method's result. Raises OSError or ValueError if the server does not return one."""
        answer = self._exchange(method, params, time.monotonic() + PEER_ANSWER_SECONDS)
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
                    raise ValueError("the server gave no usable answer")
                return bytes(message.result)

    def _wait(self, until: float) -> None:
        remaining = until - time.monotonic()
        if remaining <= 0:
            raise TimeoutError("the server took too long")
        self._connection.settimeout(remaining)


def find_peer(greeting: Greeting) -> Peer | None:
    """Return the newest server of a workspace that greets; None if none does."""
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
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.settimeout(max(0.001, until - time.monotonic()))
            connection.connect(str(path))
            if is_own(connection):
                return Peer(connection, greeting, until)
        except ConnectionRefusedError as error:
            if error.errno is not None:  # the server was killed
                with contextlib.suppress(OSError):
                    path.unlink()
        except (OSError, ValueError) as error:
            log.debug("The server at %s could not be asked: %s", path.name, error)
        connection.close()
    return None


class PeerOrEngine(contextlib.ExitStack, Generic[OwnEngine]):
    """A context manager that answers requests through a running server, or by an engine that it opens when needed.

    Once the engine is open, it answers all further requests, so that reads see its writes.
    """

    def __init__(
        self,
        data_home: Path,
        folder: Path,
        settings: Settings,
        open_engine: Callable[[], contextlib.AbstractContextManager[OwnEngine]],
    ) -> None:
        super().__init__()
        self._greeting = Greeting.of_workspace(data_home, folder, settings)
        self._open_engine = open_engine
        self._engine: OwnEngine | None = None
        self._peer: Peer | None = None
        self._searched = self._gave_up = False

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        """Answer one request. Raises `SidecarError` like `Engine.call`: an error always comes from our own engine."""
        if self._engine is None and method in ASKABLE:
            answer = self._ask_peer(method, params)
            if answer is not None:
                return answer
            if self._gave_up and method == "memory/inject":
                # The server may have counted memories as shown that nobody has seen.
                params = msgspec.structs.replace(params, exclude_shown=False)
        return self.engine().call(method, params)

    def engine(self) -> OwnEngine:
        """Return our own engine, which answers all requests from now on."""
        if self._engine is None:
            self._engine = self.enter_context(self._open_engine())
        return self._engine

    def _ask_peer(self, method: str, params: msgspec.Struct) -> msgspec.Struct | None:
        if not self._searched:
            self._searched = True
            self._peer = find_peer(self._greeting)
            if self._peer is not None:
                self.callback(self._peer.close)
        if self._peer is None:
            return None
        try:
            return self._peer.ask(method, params)
        except (OSError, ValueError) as error:  # a msgspec error is a ValueError
            log.debug("The running server did not answer %s: %s", method, error)
            self._peer.close()
            self._peer, self._gave_up = None, True
            return None


def _modified_at(path: Path) -> float:
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return 0.0
