"""Read the knowledge graph of MCP's server-memory: one JSON object per line, `entity` or `relation`.

`src/memory/index.ts` of modelcontextprotocol/servers writes `{"type":"entity","name","entityType","observations"}` and
`{"type":"relation","from","to","relationType"}`. An entity becomes a memory. A relation becomes a link and, because
links have no names, a line of its entity's text.
"""

from __future__ import annotations

from sidecar.interchange.parsed import ImportItem, ImportSource, ItemLink, Omission, ParsedImport
from sidecar.interchange.sections import split_item
from sidecar.interchange.values import json_lines, short_name, text_of, vocabulary

FORMAT = "mcp-memory"
_, _KINDS = vocabulary(FORMAT)


def fits(source: ImportSource) -> bool:
    head = source.text.lstrip()[:300].partition("\n")[0].replace(" ", "")
    return head.startswith("{") and ('"type":"entity"' in head or '"type":"relation"' in head)


def read(source: ImportSource) -> ParsedImport:
    parsed = ParsedImport(FORMAT)
    entities: dict[str, tuple[str, str, list[str]]] = {}  # name: where, kind, observations
    relations: list[tuple[str, str, str, str]] = []
    for number, line, record in json_lines(source.text):
        where = f"{source.path}, line {number}"
        if record is None:
            parsed.skipped.append(Omission(where, line, "The line is not a JSON object."))
        elif record.get("type") == "entity" and (name := text_of(record, "name")):
            kind = text_of(record, "entityType") or "entity"
            observations = record.get("observations")
            known = entities.setdefault(name, (where, kind, []))[2]
            for observation in observations if isinstance(observations, list) else ():
                if isinstance(observation, str) and observation.strip() and observation not in known:
                    known.append(observation)
        elif record.get("type") == "relation" and (first := text_of(record, "from")) and (to := text_of(record, "to")):
            relations.append((where, first, to, text_of(record, "relationType") or "related to"))
        else:
            parsed.skipped.append(Omission(where, line, "It is neither an entity nor a relation."))
    facts_of: dict[str, list[str]] = {}
    for where, first, second, called in relations:
        if first not in entities or second not in entities:
            absent = second if first in entities else first
            parsed.skipped.append(Omission(where, f"{first} {called} {second}", f"There is no entity “{absent}”."))
            if first not in entities:
                continue
        facts_of.setdefault(first, []).append(f"{called}: {second}")
        if second in entities and first != second:
            kind = _KINDS.get(called.lower().replace(" ", "_").replace("-", "_"), "related")
            parsed.links.append(ItemLink(first, second, kind))
    for name, (where, kind, observed) in entities.items():
        lines = [*observed, *facts_of.get(name, [])]
        text = f"{name} ({kind})" + (":\n" + "\n".join(f"- {line}" for line in lines) if lines else "")
        parsed.items += split_item(
            ImportItem(key=name, where=where, content=text, name=short_name(name), tags=(kind[:100],))
        )
    return parsed
