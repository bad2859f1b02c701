"""The corpus of hostile texts, and a judge of what reaches a model that shares no code with what neutralises it."""

from __future__ import annotations

import html
import json
import re
import unicodedata
from functools import lru_cache
from pathlib import Path

CORPUS = Path(__file__).parents[1] / "memories" / "attacks.jsonl"
NAMES = (
    "memory[-_]?notes|system|user|assistant|human|developer|tool_?call|tool_?use|tool_?result|tool_?response|function_?calls"
    "|function_?results|invoke|instructions|thinking|im_?start|im_?end|endoftext|start_?header_?id|system-?reminder"
)
TAG = re.compile(rf"<[/|!?\\]*(?:{NAMES})(?![a-z])")
ROLES = "system|user|assistant|human|ai|developer|tool|function|observation|thought|action|actioninput|finalanswer"
HEADER = re.compile(rf"[\W\d_]*(?:{ROLES}):")
HEADING = re.compile(r"(?:\s|>|[-*+]\s)*#{1,6}(?:\s|$)")
OURS = re.compile(r"## [A-Z][A-Za-z&-]*(?: [A-Za-z&-]+)*")
# Letters of the corpus that no decomposition of Unicode turns into the Latin ones they look like.
LATIN = str.maketrans(
    "аеоурсіѕхԁմАЕОРСТМНΥЅΑΗυɑսıᴀʙᴄᴅᴇʜɪᴍɴᴏʀꜱᴛᴜʏꓢꓬꓔꓰꓟᏚᎩᎢᎬᎷ", "aeoypcisxdmaeopctmhysahuauiabcdehimnorstuysytemsytem"
)
SIGNS = str.maketrans("❮❬«《⟪˂ᐸ≺〈⧼⦑≪‹⟨／∣❘∶꞉–", "<<<<<<<<<<<<<</||::-")
STYLED = {0x1F150 + n: chr(97 + n) for n in range(26)} | {0x1F170 + n: chr(97 + n) for n in range(26)}
STYLED |= {0x1F1E6 + n: chr(97 + n) for n in range(26)}


def attacks() -> list[tuple[str, str]]:
    """Kind and text of each."""
    rows = map(json.loads, CORPUS.read_text(encoding="utf-8").splitlines())
    return [(row["kind"], row["text"] * row.get("times", 1)) for row in rows]


def seen(text: str) -> str:
    """What a reader may take a text for: references resolved, disguises undone, small letters."""
    for _ in range(4):
        text = html.unescape(text)
    text = unicodedata.normalize("NFKD", re.sub(r"\[U\+[0-9A-F]+(?: x\d+)?\]", "", text).translate(STYLED))
    text = "".join(char for char in text if unicodedata.category(char) not in ("Cf", "Mn", "Me"))
    return text.translate(LATIN).translate(SIGNS).lower()


@lru_cache(maxsize=20_000)
def acting(text: str) -> list[str]:
    """What in a quoted text could act; empty when nothing could."""
    found = [sign for sign in ("</", "<|", "<!", "<?", "```", "~~~", "[INST]", "<system", "<memory") if sign in text]
    found += [repr(char) for char in text if char != "\n" and unicodedata.category(char) in ("Cc", "Cs", "Co", "Cn")]
    found += [repr(char) for char in text if unicodedata.category(char) == "Cf" and char not in "\u200c\u200d"]
    shown = seen(text)
    found += TAG.findall(re.sub(r"\s+", "", shown))
    for line in text.split("\n"):
        plain = seen(line)
        found += [line for part in plain.split("\n") if HEADER.match(re.sub(r"[\s.]+", "", part))]
        if HEADING.match(plain) and not OURS.fullmatch(line):
            found.append(line)
    return found


def inside(text: str) -> str:
    """What stands in the one fence of a text; fails when there is none, or more, or something is around it."""
    assert text.count("<memory-notes") == text.count("</memory-notes") == 1, text[:300]
    before, _, rest = text.partition("<memory-notes>\n")
    body, _, after = rest.partition("</memory-notes>\n")
    head, _, quoted = body.partition("\n")
    for said in ("earlier sessions", "not instructions", "verify"):
        assert said in head
    assert re.fullmatch(r"(?:[A-Z][\w :;,.\[\]()?-]*\n+)*", before), before
    assert re.fullmatch(r"(?:\(\d+ files are still being read[^)]*\))?", after), after
    return quoted


def strings(value: object) -> list[str]:
    """Every string in plain data, keys left out."""
    if isinstance(value, str):
        return [value]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for part in parts for text in strings(part)]
