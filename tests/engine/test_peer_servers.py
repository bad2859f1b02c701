"""What a running server answers to hooks and commands is what they would find themselves."""

from __future__ import annotations

import contextlib
import tempfile
import threading
from pathlib import Path
from typing import Any

import pytest

from protocol.memories import RecordParams, SearchParams, SearchResult
from sidecar.embedding import model_loader, workspace_embedding
from sidecar.embedding.model_loader import load_model
from sidecar.engine import peer_servers
from sidecar.engine.peer_servers import PeerServers
from sidecar.models.embedding import Embedder
from sidecar.peers import asking
from sidecar.peers.serving import PeerServer
from sidecar.peers.sockets import Greeting
from sidecar.settings import Settings
from sidecar.settings.model import EmbeddingSettings
from sidecar.store.location import data_home
from tests.client.calling import EngineCalls
from tests.engine.conftest import MakeEngine


def test_a_server_that_has_just_started_waits_for_its_model(
    make_engine: MakeEngine, repository: Path, plain: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    model_may_load = threading.Event()
    loading = threading.Event()

    def load(settings: EmbeddingSettings) -> Embedder:
        loading.set()
        assert model_may_load.wait(60)
        return load_model(settings)

    monkeypatch.setattr(model_loader, "load_model", load)
    for module in (workspace_embedding, peer_servers):
        monkeypatch.setattr(module, "COMMAND_WAIT_SECONDS", 60.0)
    monkeypatch.setattr(asking, "GREET_SECONDS", 60.0)
    monkeypatch.setattr(asking, "PEER_ANSWER_SECONDS", 60.0)
    with tempfile.TemporaryDirectory(prefix="run") as short:  # a socket's path may have 100 bytes
        monkeypatch.setenv("XDG_RUNTIME_DIR", short)
        engine = make_engine(repository, listens=True)
        assert loading.wait(60)
        EngineCalls(engine).memory_record(RecordParams(content="The invoices are printed at night."))
        peer = asking.find_peer(Greeting.of_workspace(data_home(plain.store.folder, make=False), repository, plain))
        assert peer is not None
        threading.Timer(0.5, model_may_load.set).start()  # long after the question has arrived
        found = peer.ask("memory/search", SearchParams(query="invoices"))
        assert isinstance(found, SearchResult)
        assert model_may_load.is_set()
        assert len(found.items) == 1
        peer.close()
        engine.close()


def test_a_folder_that_two_threads_open_has_one_listener(
    make_engine: MakeEngine, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository)
    handle, both = engine.workspaces.all()[0], threading.Barrier(2)
    made: list[object] = []

    class Waiting(PeerServer):
        def __init__(self, *arguments: Any) -> None:
            made.append(self)
            with contextlib.suppress(threading.BrokenBarrierError):
                both.wait(0.5)  # until the other thread is here as well, if it can be
            super().__init__(*arguments)

    monkeypatch.setattr(peer_servers, "PeerServer", Waiting)
    servers = PeerServers(engine.workspaces, engine.call)
    threads = [threading.Thread(target=servers.open, args=(handle,)) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    servers.close_all()
    assert len(made) == 1
