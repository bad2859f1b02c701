"""Texts are cut into the pieces of the model's vocabulary."""

from __future__ import annotations

import random
import unicodedata

import pytest

from sidecar.models import wordpiece
from sidecar.models.wordpiece import WordPiece, read_vocabulary

UNKNOWN = 100


@pytest.fixture(scope="module")
def vocabulary() -> list[str]:
    return read_vocabulary()


@pytest.fixture(scope="module")
def tokenizer(vocabulary: list[str]) -> WordPiece:
    return WordPiece(vocabulary)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello, World!", "hello , world !"),
        ("unaffable embeddings", "una ##ffa ##ble em ##bed ##ding ##s"),
        ("naïve Café\u0301", "naive cafe"),
        ("don't_stop", "don ' t _ stop"),
        ("a\tb\nc\u00a0d\u3000e", "a b c d e"),
        ("zero\u200bwidth\0 soft\u00adware", "zero ##wi ##dt ##h software"),
        ("東京 tower", "東 京 tower"),
        ("İstanbul ΣΟΦΟΣ", "istanbul σ ##ο ##φ ##ο ##σ"),
        ("[CLS] x [unused1]", "[ cl ##s ] x [ unused ##1 ]"),
        ("##ing", "# # ing"),
        ("“quoted” – dash…", "“ quoted ” – dash …"),
        ("x" * 101 + " y", "[UNK] y"),
        ("🙂 smile", "[UNK] smile"),
        ("", ""),
    ],
)
def test_text_is_cut_into_known_pieces(tokenizer: WordPiece, vocabulary: list[str], text: str, pieces: str) -> None:
    assert [vocabulary[number] for number in tokenizer.encode(text, UNKNOWN, 1_000)] == pieces.split()


def test_a_text_is_cut_at_the_limit(tokenizer: WordPiece) -> None:
    whole = tokenizer.encode("unaffable " * 50, UNKNOWN, 1_000)
    assert tokenizer.encode("unaffable " * 50, UNKNOWN, 7) == whole[:7]


def test_words_dropped_from_the_cache_come_out_the_same(vocabulary: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    text = "unaffable words unaffable things unaffable"
    expected = WordPiece(vocabulary).encode(text, UNKNOWN, 100)
    monkeypatch.setattr(wordpiece, "MAX_CACHED_WORDS", 1)
    assert WordPiece(vocabulary).encode(text, UNKNOWN, 100) == expected


def test_the_vocabulary_is_whole_and_begins_with_its_marks(vocabulary: list[str]) -> None:
    assert vocabulary[0] == "[PAD]"
    assert len(vocabulary) == 30_522
    assert {"[UNK]", "[CLS]", "[SEP]", "[MASK]", "[unused0]"} <= set(vocabulary)


def test_the_same_as_the_tokenizers_library(tokenizer: WordPiece, vocabulary: list[str]) -> None:
    library = pytest.importorskip("tokenizers")
    theirs = library.Tokenizer(
        library.models.WordPiece({piece: n for n, piece in enumerate(vocabulary)}, unk_token="[UNK]")
    )
    theirs.normalizer = library.normalizers.BertNormalizer()
    theirs.pre_tokenizer = library.pre_tokenizers.BertPreTokenizer()
    dice = random.Random(1)
    # Assigned long ago: the two may know different versions of Unicode.
    pool = [
        chr(code)
        for code in [*range(1, 0x2000), *range(0x2010, 0x2050), *range(0x3000, 0x9FFF), *range(0xFF01, 0xFFEF)]
        if unicodedata.ucd_3_2_0.category(chr(code)) != "Cn"
        and unicodedata.ucd_3_2_0.category(chr(code)) == unicodedata.category(chr(code))
    ]
    for _ in range(5_000):
        length = dice.randrange(1, 60)
        text = "".join(dice.choice(pool) if dice.random() < 0.3 else chr(dice.randrange(1, 128)) for _ in range(length))
        expected = theirs.encode(text, add_special_tokens=False).ids
        assert tokenizer.encode(text, UNKNOWN, 10_000) == expected, ascii(text)
