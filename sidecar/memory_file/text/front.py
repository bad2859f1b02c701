"""The front matter of a page, which may come from somebody else's repository.

Our own fields are read as they are written: a name of `1.10` or `on` is that text, no number and no truth. Fields of
others keep their kind, so that they are written back as they were. Aliases are refused: nobody needs them here, and a
few hundred bytes of them stand for more than a machine holds.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

LONGEST = 64_000
"""Characters; more is no front matter."""


class Front(NamedTuple):
    """Our fields as texts or lists of texts (`None` is left out), and the others as values."""

    ours: dict[str, str | list[str]]
    others: dict[str, Any]


def read_front(text: str, ours: Collection[str]) -> Front | None:
    """The fields of a front matter; None when it is none."""
    import yaml

    if len(text) > LONGEST:
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
        front = Front({}, {})
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                return None
            if key.value not in ours:
                front.others[key.value] = loader.construct_object(value, deep=True)
            elif (given := _given(value)) is not None:
                front.ours[key.value] = given
        if front.others:
            yaml.safe_dump(front.others)  # a number that is too long to be written cannot be kept
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    finally:
        loader.dispose()
    return front


def _given(node: Any) -> str | list[str] | None:
    import yaml

    if isinstance(node, yaml.SequenceNode):
        return [one.value for one in node.value if isinstance(one, yaml.ScalarNode)]
    if not isinstance(node, yaml.ScalarNode) or node.tag == "tag:yaml.org,2002:null":
        return None
    return str(node.value)
