"""First facts about a project, derived by the table `rules.toml`.

A rule looks up values and, if there are any, yields a sentence or commands. Its fields:

- `file`: the file to read, by default the ecosystem's; of a list, the first file that the project has. Or `paths`: a
  pattern of whole paths; if the rule has a `pattern`, the first match is read.
- `has`: a key that the file must have. `key`: the key of a text or of a list of texts; of a table if `each` formats its
  entries. Of several keys, the first with a value counts. `pattern`: what to search for in the file or in the values.
- `items`: a pattern of the values' parts; `only`: the values to use; `names`: words for values; `each`: their form.
- `sentence`, or `purpose` and `command`: the text to yield. `{}` stands for the first value, for up to `many` values,
  or for each of up to `repeat` values; other places are filled by `{file}`, `parts` and the ecosystem's `words`.
- `otherwise`: apply the rule only if the rule before found nothing; `unless`: only if this inner rule finds nothing.
- `by`: the name of a Python function in place of a rule.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from sidecar.interchange.bootstrap import irregular
from sidecar.interchange.bootstrap.about import about_facts
from sidecar.interchange.bootstrap.ci import ci_facts
from sidecar.interchange.bootstrap.members import member_facts
from sidecar.interchange.bootstrap.project import FirstFact, Project, list_commands, list_values, short_text

MAX_FACTS = 15  # of one project
_MAX_VALUE_CHARS = 100  # characters of a value in a sentence
Words = Mapping[str, str]
_FACT_READERS: dict[str, Callable[[Project], list[FirstFact]]] = {
    "about": about_facts,
    "ci": ci_facts,
    "members": member_facts,
}
_FACT_FUNCTIONS: dict[str, Callable[[Project, Words], list[FirstFact]]] = {"npm_scripts": irregular.npm_scripts}

Rule = dict[str, Any]


class Lookup(NamedTuple):
    values: list[str]
    files: list[str]


class RuleStatement(NamedTuple):
    """A sentence, or a purpose with its command, and the files that prove it."""

    words: tuple[str, ...]
    files: list[str]


@cache
def rule_table() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("rules.toml").read_text("utf-8"))


def files_to_read(paths: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the files to read, and the files that say something by being there."""
    read_pattern, seen_pattern = (re.compile(rule_table()["files"][name]) for name in ("read", "seen"))
    every = list(paths)
    to_read = [path for path in every if read_pattern.fullmatch(path)]
    return to_read, [path for path in every if not read_pattern.fullmatch(path) and seen_pattern.fullmatch(path)]


def presence_files() -> list[str]:
    """Return the files at the root that say something by being there and that a walk may skip."""
    return list(rule_table()["files"]["present"])


def derive_facts(project: Project) -> list[FirstFact]:
    """Return the first `MAX_FACTS` facts."""
    ecosystems = (_Ecosystem(project, table) for table in rule_table()["ecosystem"])
    return [fact for ecosystem in ecosystems for fact in ecosystem.derive_facts()][:MAX_FACTS]


class _Ecosystem:
    def __init__(self, project: Project, table: Rule) -> None:
        self._project = project
        self._table = table
        self._words: dict[str, str] = {}

    def derive_facts(self) -> Iterator[FirstFact]:
        if "by" in self._table:
            yield from _FACT_READERS[self._table["by"]](self._project)
            return
        if "when" in self._table and not any(self._look_up(rule) for rule in self._table["when"]):
            return
        for name, choices in self._table.get("words", {}).items():
            self._words[name] = next(statement.words[0] for rule in choices for statement in self._sentence(rule))
        for rule in self._table["fact"]:
            if "by" in rule:
                yield from _FACT_FUNCTIONS[rule["by"]](self._project, self._words)
            else:
                yield from self._fact(rule)

    def _fact(self, rule: Rule) -> Iterator[FirstFact]:
        files = [path for pattern in rule.get("files", ()) if (path := self._project.first(*_as_list(pattern)))]
        sentences = list(self._statements(rule.get("says", ()), self._sentence))
        pairs = list(self._statements(rule.get("commands", ()), self._command))
        for statement in [*sentences, *pairs]:
            files += statement.files
        if not sentences and not pairs:
            return
        lines = [statement.words[0] for statement in sentences]
        if pairs:
            shown = [(purpose, command) for (purpose, command), _ in pairs[: rule.get("most")]]
            lines.append(list_commands(shown, () if sentences else files))
        yield FirstFact(rule["name"], "\n".join(lines), tuple(dict.fromkeys(files)), rule.get("category", "fact"))

    def _statements(
        self, rules: Iterable[Rule], make_statements: Callable[[Rule], list[RuleStatement]]
    ) -> Iterator[RuleStatement]:
        """Yield the statements of rules, as `otherwise` and `unless` allow."""
        any_before = False
        for rule in rules:
            if rule.get("otherwise") and any_before:
                continue
            if "unless" in rule and self._look_up(rule["unless"]) is not None:
                continue
            statements = make_statements(rule)
            any_before = bool(statements)
            yield from statements

    def _sentence(self, rule: Rule) -> list[RuleStatement]:
        lookup = self._look_up(rule)
        if lookup is None:
            return []
        parts: dict[str, str] = {"file": lookup.files[0] if lookup.files else ""}
        for name, inner in rule.get("parts", {}).items():
            statements = self._sentence(inner)
            if not statements and "else" not in inner:
                return []
            parts[name] = statements[0].words[0] if statements else inner["else"]
        many = rule.get("many")
        value = list_values(lookup.values, many) if many else short_text("".join(lookup.values[:1]), _MAX_VALUE_CHARS)
        sentence: str = rule.get("sentence", "{}")
        if value is None and "{}" in sentence:
            return []
        return [RuleStatement((sentence.format(value, **parts),), lookup.files)]

    def _command(self, rule: Rule) -> list[RuleStatement]:
        lookup = self._look_up(rule)
        if lookup is None:
            return []
        values = list(dict.fromkeys(lookup.values))
        shown = values[: rule["repeat"]] if "repeat" in rule else [", ".join(values[:8])]
        run = irregular.uv_run(self._project, rule["tool"]) if "tool" in rule else ""
        purpose, command = rule["purpose"], run + rule["command"]
        words = ((purpose.format(value), command.format(value, **self._words)) for value in shown)
        return [RuleStatement(pair, lookup.files) for pair in words]

    def _look_up(self, rule: Rule) -> Lookup | None:
        """Return the values that a rule looks up, and their files; None if there are none."""
        file = rule.get("file", self._table.get("file"))
        if "paths" in rule:
            file = self._project.matching(rule["paths"])
            if "pattern" not in rule:
                return Lookup(file, file[:5]) if file else None
        if file is None:
            return Lookup([], [])
        path = self._project.first(*_as_list(file))
        if path is None:
            return None
        values = [path]
        if "has" in rule:
            has_key = any(self._project.value(path, key) is not None for key in _as_list(rule["has"]))
            return Lookup([], [path]) if has_key else None
        if "key" in rule:
            every = (_texts(self._project.value(path, key), rule.get("each")) for key in _as_list(rule["key"]))
            values = next((texts for texts in every if texts), [])
        elif "pattern" in rule:
            values = [self._project.texts.get(path, "")]
        for name in ("pattern", "items"):
            if name in rule:
                values = [value for source in values for value in _matches(rule[name], source)]
        values = [value for value in values if value in rule.get("only", values)]
        if "each" in rule and "key" not in rule:
            values = [rule["each"].format(key=value) for value in values]
        names = rule.get("names", {})
        return Lookup([names.get(value, value) for value in values], [path]) if values else None


def _as_list(names: str | list[str]) -> list[str]:
    return [names] if isinstance(names, str) else names


def _texts(value: object, template: str | None) -> list[str]:
    """Return the texts of a value. The entries of a table are formatted by `template`."""
    if isinstance(value, dict):
        if template is None:
            return []
        pairs = (pair for pair in value.items() if "{value}" not in template or isinstance(pair[1], str))
        return [template.format(key=key, value=inner) for key, inner in pairs]
    if template is not None:
        return []
    values = value if isinstance(value, list) else [value]
    return [item.strip() for item in values if isinstance(item, str) and item.strip()]


def _matches(pattern: str, value: str) -> list[str]:
    """Return the first non-empty group of each match; for a pattern without groups, the whole match."""
    matches = (next(filter(None, match.groups()), match[0]) for match in re.finditer(pattern, value))
    return [text.strip() for text in matches if text.strip()]
