"""Sentences of one passage of prose, and what of a sentence may be read as language."""

import re
from collections.abc import Iterator

_END = re.compile(r"(?<![.!?…])[.!?…]++[\"'”’)\]*_]*+(?=\s)|[。！？]+[”」』）]*")
_ABBREVIATIONS = frozenset(
    "e.g i.e eg ie etc vs cf approx resp incl excl esp max min no nr nos vol fig figs sec ch pp p al ca est dept mr "
    "mrs ms dr prof st jr sr inc ltd co corp jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu "
    "fri sat sun z.b d.h u.a bzw usw ggf inkl evtl bspw vgl ca p.ej ej pág p.ex a.k.a aka w.r.t wrt viz "
    "misc tel ver v".split()
)
_OPEN = frozenset("etc usw no max min p v sec st sat sun mon inc co est mar ms".split())
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^`]+\1(?!`)")
_ADDRESS = re.compile(r"\b[a-z][a-z0-9+.-]{1,20}://\S+", re.IGNORECASE)
_QUOTED = re.compile(r"\"[^\"]*\"|“[^“”]*”|„[^„“”]*[“”]|«[^«»]*»|「[^「」]*」")


def split_sentences(passage: str) -> Iterator[str]:
    """The sentences of a passage on one line, with their end signs."""
    covered = _spans(passage)
    position = span = start = 0
    for end in _END.finditer(passage):
        position = end.start()
        while span < len(covered) and covered[span][1] <= position:
            span += 1
        if span < len(covered) and covered[span][0] <= position:
            continue
        if end[0].startswith(".") and _goes_on(passage, start, end):
            continue
        if sentence := passage[start : end.end()].strip():
            yield sentence
        start = end.end()
    if sentence := passage[start:].strip():
        yield sentence


def read(text: str) -> Sentence:
    """A sentence with its reading."""
    reading = text.lower()
    if len(reading) != len(text):
        reading = "".join(low if len(low := char.lower()) == 1 else char for char in text)
    reading = reading.replace("’", "'").replace("‘", "'").replace("ʼ", "'")
    reading = _CODE.sub(lambda found: "x" * len(found[0]), reading)
    reading = _ADDRESS.sub(lambda found: "x" * len(found[0]), reading)
    return Sentence(text, _QUOTED.sub(lambda found: "q" * len(found[0]), reading))
