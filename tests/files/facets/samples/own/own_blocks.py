"""Recognises text that this program itself put in front of a model, so that it is never learned again."""

import re

TAG = "memory-notes"
_BLOCK = re.compile(rf"<{TAG}(?=[\s>])[^<>]*>.*?(?:</{TAG}\s*>|\Z)", re.DOTALL)
_XML_ITEM = re.compile(r'<memory date="\d{4}-\d\d-\d\d"[^<>]*>[^<]*(?:</memory>|\Z|(?=<))')
_ITEM = re.compile(r"[>\s]*(?:[-*•]|\d+[.)])\s+\(\d{4}-\d\d-\d\d\)\s")
_HANGING = re.compile(r">?\s{2,}\S")
_HEAD = ABOUT.split(".", 1)[0]


def without_blocks(text: str) -> str:
    """The text with every rendered block cut out, whole or broken off."""
    return _BLOCK.sub("", text)


def without_own_text(text: str) -> str:
    """The text with rendered blocks and single rendered items cut out, also quoted or pasted in part."""
    text = _XML_ITEM.sub("", without_blocks(text))
    if "(" not in text and _HEAD not in text:
        return text
    kept: list[str] = []
    inside = False  # an item was cut and the lines that hang on it are being cut
    for line in text.split("\n"):
        if _ITEM.match(line):
            inside = True
        elif inside and _HANGING.match(line):
            continue
        elif _HEAD in line:
            inside = False
        else:
            inside = False
            kept.append(line)
    return "\n".join(kept)
