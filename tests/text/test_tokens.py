"""The count of tokens is near a model's, never below it, and grows with the length alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.text import tokens
from sidecar.text.tokens import estimate

pytestmark = pytest.mark.slow

# ruff: noqa: E501
# Counted with cl100k and o200k; the larger of the two.
COUNTED: list[tuple[str, int]] = [
    (
        "The quick brown fox jumps over the lazy dog. It was raining, so they stayed at home and read a book about sailing.",
        26,
    ),
    (
        'def parse_header(self, line: str, *, strict: bool = False) -> dict[str, str]:\n    if not line.strip():\n        raise ValueError("empty header")\n    return dict(part.split("=", 1) for part in line.split(";"))\n',
        53,
    ),
    (
        "const getUserName = async (userId: number): Promise<string> => {\n  const response = await fetch(`/api/users/${userId}`);\n  return (await response.json()).name;\n};\n",
        40,
    ),
    (
        "!function(e,t){for(var n=0;n<t.length;n++){var r=t[n];r.enumerable=r.enumerable||!1,r.configurable=!0,Object.defineProperty(e,r.key,r)}}(a,b);",
        46,
    ),
    ("我们决定使用数据库来保存所有的设置,因为文件太慢了。", 22),
    ("データベースにすべての設定を保存することにしました。", 24),
    ("우리는 모든 설정을 데이터베이스에 저장하기로 결정했습니다.", 22),
    ("Мы решили хранить все настройки в базе данных, потому что файлы слишком медленные.", 33),
    ("قررنا تخزين جميع الإعدادات في قاعدة البيانات لأن الملفات بطيئة جدا.", 48),
    ("हमने सभी सेटिंग्स को डेटाबेस में रखने का निर्णय लिया।", 53),
    ("เราตัดสินใจเก็บการตั้งค่าทั้งหมดไว้ในฐานข้อมูล", 40),
    ("🎉🚀👍🏽 done 😀😀", 16),
    ("3f786850e387550fdab836ed7e6dc881de23001b e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", 55),
    ('{"id": 12345, "name": "example", "values": [1, 2, 3.14159], "ok": true, "none": null}', 38),
    ("        \n\n\n\t\t\tx = 1\n                y = 2\n", 14),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_an_estimate_is_near_and_hardly_below_the_counted_tokens(text: str, counted: int) -> None:
    assert counted <= estimate(text) <= counted * 1.7


def test_runs_of_blanks_and_signs_are_cheap_and_long_words_are_not() -> None:
    assert estimate(" " * 64) == 1
    assert estimate("-" * 80) <= 5
    assert estimate("a" * 80) >= 10
    assert estimate("1" * 30) == 10


def test_time_grows_with_the_length_alone() -> None:
    for text in ("a" * 1_000_000, "aA" * 500_000, " \n" * 500_000, "=-" * 500_000, "1a" * 500_000):
        assert estimate(text) > 0


def test_an_empty_text_has_no_tokens_and_any_other_has() -> None:
    assert estimate("") == 0
    assert estimate(" ") == 1
    assert estimate("\n") == 1
    assert estimate("é") >= 1


@given(st.text(max_size=60), st.text(max_size=60))
def test_the_whole_is_at_most_its_parts_and_one(first: str, second: str) -> None:
    assert estimate(first + second) <= estimate(first) + estimate(second) + 1


@given(st.text(alphabet="aaabzABZ019 \n\t_=-.,é", max_size=40), st.text(alphabet="aaabzABZ019 \n\t_=-.,é", max_size=40))
def test_an_estimate_of_joined_texts_is_at_most_the_sum_and_one(first: str, second: str) -> None:
    assert estimate(first + second) <= estimate(first) + estimate(second) + 1


@given(st.text(alphabet="aaabzABZ019 \n\r\t\f_=-.,+/{é中Ж🎉", max_size=120), st.integers(1, 20))
def test_a_long_text_counts_as_much_piece_by_piece(text: str, piece: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sidecar.text.tokens.PIECE_CHARS", 1_000_000)
        whole = estimate(text)
        patch.setattr("sidecar.text.tokens.PIECE_CHARS", piece)
        assert estimate(text) == whole


def test_no_other_thread_stands_still_while_a_long_text_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    longest = 0
    measured = tokens.measure_piece

    def watched(text: str, start: int, end: int) -> tuple[int, int]:
        nonlocal longest
        longest = max(longest, end - start)
        return measured(text, start, end)

    monkeypatch.setattr("sidecar.text.tokens.measure_piece", watched)
    for line in ("def f(a, b): return a + b\n", "const a=b(c),d=e[f];", "abc+/DEF012", "我们决定 保存所有 的设置 "):
        assert estimate(line * 20_000) > 20_000
    assert longest < 2 * tokens.PIECE_CHARS
