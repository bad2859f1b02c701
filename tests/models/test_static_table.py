"""The static embedding table that ships with the package."""

from __future__ import annotations

import hashlib
import random
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import xxhash

from sidecar.models import static_table
from sidecar.models.static_table import TABLE_FILE, StaticTable
from sidecar.models.table_file import MAX_WEIGHT, ZERO_BYTE, TableFile
from sidecar.models.wordpiece import VOCABULARY_FILE, read_vocabulary
from tests.bench.distill.encoding import encode

Cosine = Callable[[bytes, bytes], float]
VOCABULARY_OF_FOUR = ["sun", "moon", "##light", "."]


def is_whole(path: Path) -> bool:
    return xxhash.xxh3_64_hexdigest(path.read_bytes()[24:]) == TableFile(path).fingerprint


def small_table(folder: Path, weights: list[int], rows: list[list[int]]) -> Path:
    path = folder / "table.bin"
    path.write_bytes(encode(weights, bytes(value + ZERO_BYTE for row in rows for value in row)))
    return path


def small(folder: Path, weights: list[int], rows: list[list[int]]) -> StaticTable:
    return StaticTable(TableFile(small_table(folder, weights, rows)), VOCABULARY_OF_FOUR)


def numbers(vector: bytes) -> list[int]:
    return memoryview(vector).cast("b").tolist()


def test_the_packaged_files_are_those_that_were_recorded() -> None:
    recorded = (TABLE_FILE.parent / "SHA256SUMS").read_text(encoding="utf-8").split()
    for digest, name in zip(recorded[::2], recorded[1::2], strict=True):
        assert hashlib.sha256((TABLE_FILE.parent / name).read_bytes()).hexdigest() == digest
    assert set(recorded[1::2]) == {TABLE_FILE.name, VOCABULARY_FILE.name}
    assert is_whole(TABLE_FILE)


@pytest.mark.parametrize(
    ("one", "near", "far"),
    [
        ("car", "automobile", "algebra"),
        ("dog", "puppy", "invoice"),
        ("we deploy on Fridays", "releases are rolled out at the end of the week", "the cat sleeps"),
        ("error handling", "exceptions", "breakfast"),
        ("the user likes tea", "she prefers a hot drink", "compile the kernel"),
    ],
)
def test_same_meaning_is_nearer_than_another(table: StaticTable, cosine: Cosine, one: str, near: str, far: str) -> None:
    a, b, c = table.embed([one, near, far])
    assert cosine(a, b) > cosine(a, c) + 0.05


def test_a_vector_has_the_dimensions_that_are_said(table: StaticTable) -> None:
    assert table.dimensions == 256
    assert [len(vector) for vector in table.embed(["one", "", "two three"])] == [256, 256, 256]
    assert max(map(abs, numbers(table.embed(["tea"])[0]))) == 127


@pytest.mark.parametrize(
    "text", ["", " \n\t", "...", "[CLS] "[5:], "\0\ud800", "Привет, мир", "你好世界", "🙂", "7f3a9c1e77b2"]
)
def test_unknown_words_embed_as_zero(table: StaticTable, text: str) -> None:
    assert table.embed([text]) == [bytes(256)]


def test_marks_of_the_model_are_plain_words(table: StaticTable) -> None:
    assert table.embed(["[CLS] unused [SEP]"]) == table.embed(["cls unused sep"])


def test_frequent_words_hardly_count(table: StaticTable, cosine: Cosine) -> None:
    plain, dressed = table.embed(["database migrations", "the of and to in a database migrations is was"])
    assert cosine(plain, dressed) > 0.9


def test_identifiers_are_read_by_their_words(table: StaticTable) -> None:
    whole, words = table.embed(["parseHTTPHeader", "parse http header"])
    assert whole == words
    assert table.embed(["parse_http_header"]) == [words]


def test_case_accents_and_word_order_do_not_matter(table: StaticTable) -> None:
    first, *others = table.embed(["Café opens early", "early opens CAFE", "cafe\u0301 opens EARLY"])
    assert others == [first, first]


def test_a_long_text_gives_the_sum_of_its_parts(table: StaticTable, cosine: Cosine) -> None:
    short, long = table.embed(["green tea", "green tea " * 9_000])
    assert cosine(short, long) > 0.999


def test_the_text_s_vector_is_the_weighted_sum_of_rows(tmp_path: Path) -> None:
    table = small(tmp_path, [100, 50, 20, 0], [[127, 0], [-127, 64], [0, -127], [127, 127]])
    sun, moon, light, both, sign = table.embed(["sun", "moon", "moonlight", "sun moon.", "."])
    assert numbers(sun) == [127, 0]
    assert numbers(moon) == [-127, 64]
    assert numbers(light) == [-127, round(127 * (64 * 50 - 127 * 20) / (127 * 50))]
    assert numbers(both) == [127, round(127 * (64 * 50) / (127 * 100 - 127 * 50))]
    assert numbers(sign) == [0, 0]


def test_words_beyond_the_lanes_are_left_out(tmp_path: Path) -> None:
    table = small(tmp_path, [MAX_WEIGHT, MAX_WEIGHT, 1, 0], [[127, -128], [-128, 127], [0, 0], [0, 0]])
    most = 2**24 // MAX_WEIGHT
    for count in (most - 2, most - 1, most, most + 1, 2 * most + 3):
        suns, moons = count * 2 // 3, count - count * 2 // 3
        (vector,) = table.embed(["sun " * suns + "moon " * moons])
        suns = min(suns, most)
        moons = min(moons, most - suns)
        first, second = 127 * suns - 128 * moons, -128 * suns + 127 * moons
        peak = max(abs(first), abs(second))
        assert numbers(vector) == [round(127 * first / peak), round(127 * second / peak)]


def test_words_dropped_from_the_cache_come_out_the_same(table: StaticTable, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "seven different words that fill a very small cache"
    expected = table.embed([text])
    monkeypatch.setattr(static_table, "MAX_CACHED_WORDS", 3)
    assert StaticTable.load().embed([text, text]) == expected * 2


def test_many_texts_have_the_vectors_of_each(table: StaticTable) -> None:
    words = [word for word in read_vocabulary()[2_000:9_000] if word.isalpha()]
    dice = random.Random(4)
    texts = [" ".join(dice.choices(words, k=dice.randrange(30))) for _ in range(600)]
    assert table.embed(texts) == [table.embed_query(text) for text in texts]


def test_threads_share_a_table(table: StaticTable) -> None:
    texts = [f"{word} number {index}" for index in range(300) for word in ("river", "server", "letter")]
    expected = table.embed(texts)
    found: list[list[bytes]] = []
    fresh = StaticTable.load()
    threads = [threading.Thread(target=lambda: found.append(fresh.embed(texts))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_another_table_has_another_name(tmp_path: Path) -> None:
    one = small(tmp_path, [1, 1, 1, 1], [[1, 2]] * 4).name
    assert one != small(tmp_path, [1, 1, 1, 2], [[1, 2]] * 4).name
    assert one != StaticTable.load().name
    assert one == small(tmp_path, [1, 1, 1, 1], [[1, 2]] * 4).name


@pytest.mark.parametrize("damage", ["empty", "short", "cut", "longer", "magic", "weights"])
def test_a_table_that_is_not_whole_is_refused(tmp_path: Path, damage: str) -> None:
    path = small_table(tmp_path, [1, 2, 3, 4], [[1, 2]] * 4)
    data = path.read_bytes()
    path.write_bytes(
        {
            "empty": b"",
            "short": data[:10],
            "cut": data[:-1],
            "longer": data + b"\0",
            "magic": b"X" + data[1:],
            "weights": data[:24] + b"\xff\xff" + data[26:],
        }[damage]
    )
    with pytest.raises(ValueError):
        TableFile(path)


def test_a_changed_byte_is_found_by_reading_all(tmp_path: Path) -> None:
    path = small_table(tmp_path, [1, 2, 3, 4], [[1, 2]] * 4)
    assert is_whole(path)
    path.write_bytes(path.read_bytes()[:-1] + b"\0")
    assert not is_whole(path)


def test_a_table_and_another_vocabulary_do_not_go_together(tmp_path: Path) -> None:
    path = small_table(tmp_path, [1, 2], [[1, 2]] * 2)
    with pytest.raises(ValueError, match="different sizes"):
        StaticTable(TableFile(path), VOCABULARY_OF_FOUR)


def test_the_table_needs_no_library_of_models() -> None:
    code = (
        "import sys; from sidecar.models.static_table import StaticTable; StaticTable.load().embed(['hello']);"
        "assert not {'numpy', 'onnxruntime', 'tokenizers'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=180, cwd=Path(__file__).parents[2])
