"""A server and those who ask it, over a real socket."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from protocol.memories import SearchParams, SearchResult
from sidecar.peers import asking, serving
from sidecar.peers.asking import PeerOrEngine, find_peer
from sidecar.peers.serving import PeerServer
from sidecar.peers.sockets import Greeting, socket_folder
from sidecar.runtime.errors import MemoryNotFound
from sidecar.settings import Settings
from sidecar.wire.messages import frame

NOTHING = SearchResult(items=[])
QUERY = SearchParams(query="x")


@pytest.fixture(autouse=True)
def runtime(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(asking, "GREET_SECONDS", 20.0)  # however busy the machine is
    monkeypatch.setattr(asking, "PEER_ANSWER_SECONDS", 60.0)
    with tempfile.TemporaryDirectory(prefix="run") as short:  # a socket's path may have 100 bytes
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        yield Path(short, "memory-sidecar")


@pytest.fixture
def greeting(tmp_path: Path) -> Greeting:
    return Greeting.of_workspace(tmp_path / "home", tmp_path / "work", Settings())


Listen = Callable[..., PeerServer]


@pytest.fixture
def listen(greeting: Greeting) -> Iterator[Listen]:
    started: list[PeerServer] = []

    def start(answer: Callable[[str, msgspec.Struct], msgspec.Struct] = lambda *_: NOTHING) -> PeerServer:
        started.append(PeerServer(answer, lambda: greeting))
        started[-1].start()
        return started[-1]

    yield start
    for each in started:
        each.close()


class Own:
    """An engine of one's own that notes what it was asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.open = 0

    def call(self, method: str, params: msgspec.Struct) -> msgspec.Struct:
        self.asked.append(method)
        return NOTHING

    @contextmanager
    def opened(self) -> Iterator[Own]:
        self.open += 1
        yield self
        self.open -= 1


@pytest.fixture
def own() -> Own:
    return Own()


@pytest.fixture
def asker(tmp_path: Path, own: Own) -> PeerOrEngine[Own]:
    return PeerOrEngine(tmp_path / "home", tmp_path / "work", Settings(), own.opened)


def test_reads_are_asked_of_the_listener(listen: Listen, asker: PeerOrEngine[Own], own: Own) -> None:
    asked: list[tuple[str, msgspec.Struct]] = []

    def answer(method: str, params: msgspec.Struct) -> msgspec.Struct:
        asked.append((method, params))
        return SearchResult(items=[], cursor="next")

    listen(answer)
    with asker:
        assert asker.call("memory/search", QUERY) == SearchResult(items=[], cursor="next")
        assert asker.call("memory/search", QUERY) == SearchResult(items=[], cursor="next")
    assert asked == [("memory/search", QUERY)] * 2
    assert not own.asked


def test_writes_and_all_that_follows_stay_in_this_process(listen: Listen, asker: PeerOrEngine[Own], own: Own) -> None:
    listen(lambda *_: pytest.fail("it was asked"))
    with asker:
        asker.call("memory/record", QUERY)
        asker.call("memory/search", QUERY)
        assert own.open == 1
    assert own.asked == ["memory/record", "memory/search"]
    assert own.open == 0


def test_without_a_listener_the_engine_is_opened_once(asker: PeerOrEngine[Own], own: Own) -> None:
    with asker:
        asker.call("memory/search", QUERY)
        asker.call("memory/search", QUERY)
        assert own.open == 1
    assert own.asked == ["memory/search"] * 2


def test_an_error_always_comes_from_our_own_engine(listen: Listen, asker: PeerOrEngine[Own], own: Own) -> None:
    def refuse(method: str, params: msgspec.Struct) -> msgspec.Struct:
        raise MemoryNotFound("There is none.")

    listen(refuse)
    with asker:
        assert asker.call("memory/get", QUERY) is NOTHING
    assert own.asked == ["memory/get"]


def test_a_defect_of_the_listener_costs_only_the_detour(listen: Listen, asker: PeerOrEngine[Own], own: Own) -> None:
    listen(lambda *_: 1 / 0)
    with asker:
        asker.call("memory/search", QUERY)
    assert own.asked == ["memory/search"]


def test_an_answer_of_another_shape_is_not_taken(listen: Listen, asker: PeerOrEngine[Own], own: Own) -> None:
    listen(lambda *_: QUERY)
    with asker:
        asker.call("memory/search", QUERY)
    assert own.asked == ["memory/search"]


@pytest.mark.parametrize("field", ["version", "settings"])
def test_another_version_or_other_settings_are_refused(field: str, listen: Listen, greeting: Greeting) -> None:
    listen()
    assert find_peer(greeting) is not None
    assert find_peer(msgspec.structs.replace(greeting, **{field: "other"})) is None


def test_stopped_listener_is_waited_for_no_longer_than_allowed(
    asker: PeerOrEngine[Own], own: Own, greeting: Greeting, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "GREET_SECONDS", 0.05)
    folder = socket_folder(make=True)
    assert folder is not None
    silent = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    with silent:
        silent.bind(str(folder / f"{greeting.prefix()}-1"))
        silent.listen()
        with asker:
            asker.call("memory/search", QUERY)
    assert own.asked == ["memory/search"]


def test_a_slow_listener_is_given_up(
    listen: Listen, asker: PeerOrEngine[Own], own: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "PEER_ANSWER_SECONDS", 0.05)
    hold = threading.Event()

    def answer(method: str, params: msgspec.Struct) -> msgspec.Struct:
        hold.wait(60)
        return NOTHING

    listen(answer)
    with asker:
        asker.call("memory/search", QUERY)
    hold.set()
    assert own.asked == ["memory/search"]


def test_the_socket_of_a_killed_server_is_cleared_away(
    asker: PeerOrEngine[Own], own: Own, greeting: Greeting, runtime: Path
) -> None:
    folder = socket_folder(make=True)
    assert folder is not None
    left = folder / f"{greeting.prefix()}-1"
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as dead:
        dead.bind(str(left))
    with asker:
        asker.call("memory/search", QUERY)
    assert own.asked == ["memory/search"]
    assert not left.exists()


def test_a_closed_listener_leaves_nothing_behind(listen: Listen, greeting: Greeting, runtime: Path) -> None:
    server = listen()
    peer = find_peer(greeting)
    assert peer is not None
    assert len(list(runtime.iterdir())) == 1
    server.close()
    server.close()
    assert not runtime.exists()
    assert find_peer(greeting) is None
    with pytest.raises((OSError, ValueError)):
        peer.ask("memory/search", QUERY)


def test_a_listener_that_is_closed_while_it_starts_leaves_no_socket(greeting: Greeting, runtime: Path) -> None:
    server = PeerServer(lambda method, params: None, lambda: greeting)
    server.close()
    server.start()
    assert not runtime.exists()


def test_another_server_answers_when_one_has_gone(listen: Listen, greeting: Greeting) -> None:
    first, _ = listen(), listen()
    first.close()
    peer = find_peer(greeting)
    assert peer is not None
    assert peer.ask("memory/search", QUERY) == NOTHING


def test_where_no_socket_can_be_made_nothing_fails(
    listen: Listen, greeting: Greeting, runtime: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deep = tmp_path / ("d" * 100)
    deep.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(deep))
    listen().close()
    assert find_peer(greeting) is None


GARBAGE = {
    "nothing": b"",
    "noise": b"\x00\xff" * 400 + b"\r\n\r\n",
    "half a frame": b"Content-Length: 1000\r\n\r\n{",
    "no greeting": frame(b'{"jsonrpc":"2.0","id":1,"method":"memory/search","params":{"query":"x"}}'),
    "a notification": frame(b'{"jsonrpc":"2.0","method":"greet","params":{}}'),
    "a wrong greeting": frame(b'{"jsonrpc":"2.0","id":1,"method":"greet","params":{"version":"\\ud800"}}'),
}


@pytest.mark.parametrize("what", sorted(GARBAGE))
def test_client_without_a_greeting_is_told_nothing_and_harms_nobody(
    what: str, listen: Listen, greeting: Greeting, runtime: Path
) -> None:
    asked: list[str] = []

    def answer(method: str, params: msgspec.Struct) -> msgspec.Struct:
        asked.append(method)
        return NOTHING

    listen(answer)
    (path,) = runtime.iterdir()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as rude:
        rude.settimeout(60)
        rude.connect(str(path))
        rude.sendall(GARBAGE[what])
        rude.shutdown(socket.SHUT_WR)
        said = b""
        while data := rude.recv(1 << 16):
            said += data
    assert b"items" not in said
    assert asked == []
    peer = find_peer(greeting)
    assert peer is not None
    assert peer.ask("memory/search", QUERY) == NOTHING


def test_more_than_can_be_served_are_hung_up_on(
    listen: Listen, greeting: Greeting, runtime: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(serving, "MAX_CONNECTIONS", 2)
    listen()
    kept = [find_peer(greeting), find_peer(greeting)]
    assert None not in kept
    assert find_peer(greeting) is None
    kept[0].close()  # type: ignore[union-attr]
    for _ in range(2_000):
        if (peer := find_peer(greeting)) is not None:
            break
        threading.Event().wait(0.005)
    assert peer is not None


def test_many_ask_at_once_and_each_gets_its_own_answer(listen: Listen, greeting: Greeting) -> None:
    def answer(method: str, params: msgspec.Struct) -> msgspec.Struct:
        assert isinstance(params, SearchParams)
        return SearchResult(items=[], cursor=params.query)

    listen(answer)
    wrong: list[str] = []

    def ask(who: int) -> None:
        peer = find_peer(greeting)
        for number in range(50):
            text = f"{who} {number}"
            found = peer and peer.ask("memory/search", SearchParams(query=text))
            if not isinstance(found, SearchResult) or found.cursor != text:
                wrong.append(text)

    threads = [threading.Thread(target=ask, args=(who,)) for who in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_a_new_listener_removes_the_sockets_of_killed_servers(listen: Listen, runtime: Path) -> None:
    listen()
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()

    def left(name: str, *, listens: bool) -> socket.socket:
        made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        made.bind(str(runtime / name))
        if listens:
            made.listen()
        else:
            made.close()
        return made

    left(f"a-{ended.pid}.1", listens=False)
    left(f"b-{os.getpid()}.1", listens=False)
    elsewhere = left(f"c-{ended.pid}.2", listens=True)  # by a process that cannot be seen from here
    (runtime / "notes").write_text("not ours")
    listen()
    names = {f"b-{os.getpid()}.1", f"c-{ended.pid}.2", "notes"}
    until = time.monotonic() + 60
    while (runtime / f"a-{ended.pid}.1").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert names == {path.name for path in runtime.iterdir()} & (names | {f"a-{ended.pid}.1"})
    elsewhere.close()
    for name in names:
        (runtime / name).unlink()
