"""The generated part of the protocol page: methods, structs and error codes as tables."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, inspect

from protocol.errors import ErrorCode
from protocol.methods import METHODS
from protocol.schema import meaning

BEGIN, END = "<!-- generated: begin -->", "<!-- generated: end -->"


def page(current: str) -> str:
    """Return the page with a new generated part. Raises ValueError if the page lacks the markers of that part."""
    before, begin, rest = current.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the protocol page has lost its markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n\n{_tables()}\n{END}{after}"


def _tables() -> str:
    lines = ["## Methods", "", "| method | from | kind | lane | does |", "|---|---|---|---|---|"]
    for method in METHODS.values():
        kind = "request" if method.result else "notification"
        lane = method.lane if method.result else ""
        lines.append(
            f"| [`{method.name}`](#{_anchor(method.name)}) | {method.sender} | {kind} | {lane} | {method.summary} |"
        )
    described: dict[str, inspect.StructType] = {}
    for method in METHODS.values():
        lines += ["", f"### {method.name}", "", method.summary]
        for title, struct in (("params", method.params), ("result", method.result)):
            if struct is None:
                continue
            info = inspect.type_info(struct)
            assert isinstance(info, inspect.StructType)
            if struct.__name__ in described:
                lines += ["", f"**{title}**: `{struct.__name__}`, as above."]
                continue
            described[struct.__name__] = info
            lines += ["", f"**{title}** `{struct.__name__}`. {_doc(struct)}", "", *_fields(info)]
        lines += _example(method.name)
    nested = _nested(described)
    if nested:
        lines += ["", "## Parts of messages"]
        for name, info in sorted(nested.items()):
            lines += ["", f"### {name}", "", _doc(info.cls), "", *_fields(info)]
    lines += ["", "## Error codes", "", "| code | name |", "|---|---|"]
    lines += [f"| {int(code)} | `{code.name}` |" for code in ErrorCode]
    return "\n".join(lines) + "\n"


@cache
def _examples() -> dict[str, dict[str, Any]]:
    examples: dict[str, dict[str, Any]] = msgspec.json.decode((Path(__file__).parent / "examples.json").read_bytes())
    return examples


def _example(method: str) -> list[str]:
    """Return one exchange as it was recorded; long texts are shortened."""
    example = _examples().get(method)
    if example is None:
        return []
    lines = ["", "```jsonc"]
    for part in ("params", "result"):
        if part in example:
            text = msgspec.json.format(msgspec.json.encode(example[part]), indent=1).decode()
            flat = msgspec.json.encode(example[part]).decode()
            lines += [f"// {part}", flat if len(flat) < 110 else text]
    return [*lines, "```"]


def _anchor(name: str) -> str:
    return name.lower().replace("/", "")


def _doc(struct: type) -> str:
    return " ".join((struct.__doc__ or "").split())


def _fields(info: inspect.StructType) -> list[str]:
    if not info.fields:
        return ["No fields."]
    lines = ["| field | type | default | meaning |", "|---|---|---|---|"]
    for field in info.fields:
        name, means = field.encode_name, meaning(info.cls.__name__, field.encode_name)
        lines.append(f"| `{name}` | {_type(field.type)} | {_default(field)} | {means} |")
    return lines


def _default(field: inspect.Field) -> str:
    if field.required:
        return "required"
    if field.default_factory is not msgspec.NODEFAULT:
        return "`[]`"
    if field.default in (None, UNSET, msgspec.NODEFAULT):  # inspect shows UNSET as no default
        return ""
    return f"`{msgspec.json.encode(field.default).decode()}`"


def _type(kind: Any) -> str:
    match kind:
        case inspect.Metadata():
            return _type(kind.type)
        case inspect.UnionType():
            return " or ".join(sorted((_type(arm) for arm in kind.types), key=_last))
        case inspect.LiteralType():
            return " ".join(f"`{value}`" for value in sorted(str(value) for value in kind.values))
        case inspect.StrType():
            bound = f", at most {kind.max_length:,} characters" if kind.max_length else ""
            return ("text" if kind.min_length else "string") + bound
        case inspect.IntType():
            if kind.le is not None:
                return f"integer {kind.ge}..{kind.le}"
            return "integer"
        case inspect.FloatType():
            return "number"
        case inspect.AnyType():
            return "anything"
        case inspect.BoolType():
            return "boolean"
        case inspect.NoneType():
            return "null"
        case inspect.ListType():
            return f"list of {_type(kind.item_type)}"
        case inspect.DictType():
            return f"object of {_type(kind.value_type)}"
        case inspect.StructType():
            return f"`{kind.cls.__name__}`"
        case _:
            raise TypeError(f"no words for {kind}")


def _last(text: str) -> tuple[bool, str]:
    return (text == "null", text)


def _nested(described: dict[str, inspect.StructType]) -> dict[str, inspect.StructType]:
    nested: dict[str, inspect.StructType] = {}
    todo = [field.type for info in described.values() for field in info.fields]
    while todo:
        kind = todo.pop()
        match kind:
            case inspect.Metadata():
                todo.append(kind.type)
            case inspect.UnionType():
                todo += list(kind.types)
            case inspect.ListType():
                todo.append(kind.item_type)
            case inspect.DictType():
                todo.append(kind.value_type)
            case inspect.StructType() if kind.cls.__name__ not in described and kind.cls.__name__ not in nested:
                nested[kind.cls.__name__] = kind
                todo += [field.type for field in kind.fields]
            case _:
                pass
    return nested
