"""XML: the root element, its children with their counts and names. No entities, no DTD."""

from __future__ import annotations

from sidecar.files.clean_text import shorten
from sidecar.files.structure.result import LineNumbers, Structure, capped, first_sentence
from sidecar.files.structure.sample import sample
from sidecar.files.structure.tags import tags
from sidecar.files.structure.values import secret_value
from sidecar.store.records import SymbolRecord

_NAMING = ("name", "id", "android:name", "key", "x:name")


def xml_tree(text: str) -> Structure:
    """Return the elements directly under the root; repeated ones without a name become one symbol with a count."""
    lines = LineNumbers(text)
    path: list[str] = []
    root: str | None = None
    namespace = ""
    partial = False
    found: dict[tuple[str, str], list[int]] = {}
    texts: dict[str, str] = {}
    current: list[int] | None = None
    for tag in tags(text, html=False):
        line = lines.at(tag.start)
        if tag.closing:
            if tag.name in path[-8:]:
                while path.pop() != tag.name:
                    partial = True
            else:
                partial = True
            if len(path) == 1 and current is not None:
                current[1] = max(current[1], line)
            continue
        if not path and root is None:
            root, namespace = tag.name, tag.attributes.get("xmlns", "")
        elif len(path) == 1:
            naming = next((tag.attributes[key] for key in _NAMING if tag.attributes.get(key)), "")
            naming = "" if secret_value(naming) else shorten(" ".join(naming.split()), 80)
            current = found.setdefault((tag.name, naming), [line, line, 0])
            current[2] += 1
            if not current[2] > 1 and tag.text.strip():
                texts.setdefault(tag.name, tag.text.strip())
        if not tag.empty:
            path.append(tag.name)
    if root is None:
        return Structure(head=sample(text), partial=bool(text.strip()))
    symbols = []
    for (name, naming), (start, end, times) in found.items():
        label = f"{name} {naming}".strip()
        shown = f"<{label}>" + (f" × {times:,}" if times > 1 else "")
        symbols.append(SymbolRecord(kind="element", name=label, start=start, end=end, signature=shown))
    described = texts.get("description") or ""
    doc = first_sentence(described) if described and not secret_value(described) else None
    what = " ".join(texts[key] for key in ("groupId", "artifactId") if len(texts.get(key, "")) in range(1, 80))
    if doc is None:
        doc = f"XML <{root}>" + (f" {what}" if what else "") + (f" ({shorten(namespace, 80)})." if namespace else ".")
    return Structure(doc=doc, symbols=capped(symbols, what="elements"), partial=partial or bool(path))
