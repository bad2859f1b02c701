"""How a server answers other processes of its user about one workspace.

`PeerServers` has one `PeerServer` for each workspace.
"""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final

import msgspec

from protocol.askable import ASKABLE
from protocol.errors import ErrorCode
from protocol.method import CallMethod
from protocol.methods import METHODS
from sidecar.peers.sockets import GREET, MAX_PATH_BYTES, Greeting, is_own, remove_abandoned, socket_folder
from sidecar.runtime.errors import SidecarError
from sidecar.wire.framing import FrameDecoder
from sidecar.wire.messages import Request, error_response, parse, response
from sidecar.wire.params import decode_params

log = logging.getLogger(__name__)

# Further connections are closed at once, so that the asking process does the work itself.
MAX_CONNECTIONS: Final = 32
IDLE_SECONDS: Final = 30.0
_CHUNK = 1 << 16


class PeerServer:
    """Answers requests on a socket until it is closed.

    Several threads may call `call`, which may raise `SidecarError`. `greeting` is called each time, because the
    workspace's settings may change.
    """

    def __init__(self, call: CallMethod, greeting: Callable[[], Greeting]) -> None:
        self._call = call
        self._greeting = greeting
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._closed = False
        self._socket: socket.socket | None = None
        self._path: Path | None = None

    def start(self) -> None:
        """Listen on a thread, or only log why no socket can be made."""
        name = f"{self._greeting().prefix()}-{os.getpid()}.{id(self):x}"
        try:
            try:
                listening, self._path = _listen(name)
            except FileNotFoundError:  # another server has just removed the empty folder
                listening, self._path = _listen(name)
        except OSError as error:
            log.info("Hooks and commands open the stores themselves, as no socket can be made: %s.", error.strerror)
            return
        self._socket = listening
        if self._closed:  # meanwhile
            self.close()
            return
        threading.Thread(target=self._accept, args=(listening,), name="sidecar-peers", daemon=True).start()

    def close(self) -> None:
        with self._lock:
            self._closed = True
            ending = list(self._connections)
        if self._path is not None:
            with contextlib.suppress(OSError):
                self._path.unlink(missing_ok=True)
                self._path.parent.rmdir()  # fails while other servers listen in this folder
        for open_socket in (self._socket, *ending):
            if open_socket is not None:
                with contextlib.suppress(OSError):
                    open_socket.shutdown(socket.SHUT_RDWR)  # wakes the waiting thread
        if self._socket is not None:
            self._socket.close()

    def _accept(self, listening: socket.socket) -> None:
        with contextlib.suppress(OSError):
            remove_abandoned()
        while not self._closed:
            try:
                connection, _ = listening.accept()
            except OSError as error:
                if not self._closed:
                    log.warning("The socket for hooks and commands failed: %s.", error.strerror)
                return
            with self._lock:
                accepted = not self._closed and len(self._connections) < MAX_CONNECTIONS and is_own(connection)
                if accepted:
                    self._connections.add(connection)
            if accepted:
                threading.Thread(target=self._talk, args=(connection,), name="sidecar-peer", daemon=True).start()
            else:
                connection.close()

    def _talk(self, connection: socket.socket) -> None:
        decoder = FrameDecoder(parse)
        greeted = False
        try:
            connection.settimeout(IDLE_SECONDS)
            while data := connection.recv(_CHUNK):
                for message in decoder.feed(data):
                    if not isinstance(message, Request):
                        return
                    if not greeted:
                        greeted = self._accepts_greeting(message)
                        connection.sendall(response(message.id, b"true" if greeted else b"false"))
                        if not greeted:
                            return
                    else:
                        connection.sendall(self._answer_request(message))
        except OSError:
            pass  # the other process ended, or sent nothing for too long
        except Exception:
            log.exception("A request over the socket could not be answered.")
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def _accepts_greeting(self, message: Request) -> bool:
        try:
            theirs = msgspec.json.decode(message.params, type=Greeting)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return False
        return message.method == GREET and theirs == self._greeting()

    def _answer_request(self, request: Request) -> bytes:
        if request.method not in ASKABLE:
            return error_response(request.id, ErrorCode.METHOD_NOT_FOUND, f"{request.method} is not answered here.")
        try:
            answer = self._call(request.method, decode_params(request.params, METHODS[request.method].params))
            return response(request.id, msgspec.json.encode(answer))
        except SidecarError as error:
            return error_response(request.id, error.code, error.message, error.data)


def _listen(name: str) -> tuple[socket.socket, Path]:
    """Return a listening socket with this name, and its path. Raises OSError."""
    folder = socket_folder(make=True)
    if folder is None:
        raise OSError(0, "there is no private runtime folder")
    path = folder / name
    if len(os.fsencode(path)) > MAX_PATH_BYTES:
        raise OSError(0, f"the path of the runtime folder is too long: {folder}")
    server = socket.socket(socket.AF_UNIX)
    try:
        path.unlink(missing_ok=True)
        server.bind(str(path))
        path.chmod(0o600)
        server.listen(MAX_CONNECTIONS)
    except OSError:
        server.close()
        raise
    return server, path
