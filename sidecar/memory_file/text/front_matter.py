"""Read a page's front matter, which may come from somebody else's repository.

Our own fields are read as text: a name such as `1.10` or `on` is neither a number nor a truth value. Other fields keep
their kind and are written back unchanged. Aliases are refused: a few hundred bytes of them can fill a machine's memory.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

# Longer front matter is not read.
MAX_FRONT_MATTER_CHARS = 64_000


class FrontMatter(NamedTuple):
    """The fields of a page's front matter."""

    own_fields: dict[str, str | list[str]]  # those that are not null
    other_fields: dict[str, Any]


def read_front(text: str, own_fields: Collection[str]) -> FrontMatter | None:
    import yaml

    if len(text) > MAX_FRONT_MATTER_CHARS:
        return None

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError("an alias")
            return super().compose_node(parent, index)

    loader = Loader(text)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.MappingNode):
            return None
        front = FrontMatter({}, {})
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                return None
            if key.value not in own_fields:
                front.other_fields[key.value] = loader.construct_object(value, deep=True)
            elif (plain_value := _plain_value(value)) is not None:
                front.own_fields[key.value] = plain_value
        if front.other_fields:
            yaml.safe_dump(front.other_fields)  # raises for a number too long to be written back
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    finally:
        loader.dispose()
    return front


def _plain_value(node: Any) -> str | list[str] | None:
    if node.id == "sequence":
        return [item.value for item in node.value if item.id == "scalar"]
    return str(node.value) if node.id == "scalar" and node.tag != "tag:yaml.org,2002:null" else None
