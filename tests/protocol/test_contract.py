"""The contract: what is generated is current, and the vectors hold for the structs they came from."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import msgspec
import pytest

from protocol import generate, page
from protocol.errors import ErrorCode
from protocol.methods import METHODS
from protocol.schema import schema

VECTORS: list[dict[str, object]] = msgspec.json.decode((generate.HERE / "vectors.json").read_bytes())


def test_generated_files_are_current() -> None:
    stale = [path.name for path, text in generate.generated().items() if path.read_text() != text]
    assert not stale, "run python -m protocol.generate"


def test_check_names_what_is_stale(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "README.md").write_text(f"# x\n{page.BEGIN}\n{page.END}\n")
    monkeypatch.setattr(generate, "HERE", tmp_path)
    assert generate.main(["--check"]) == 1
    assert "schema.json" in capsys.readouterr().out
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0


def test_a_page_without_markers_is_refused() -> None:
    with pytest.raises(ValueError, match="markers"):
        page.page("# a page that lost its markers")


def fault_of(vector: dict[str, Any]) -> str | None:
    """Return what a vector's value fails by: its path, or "changed" if it decodes to something else the second time."""
    method = METHODS[vector["method"]]
    struct = method.params if vector["part"] == "params" else method.result
    assert struct is not None
    try:
        decoded = msgspec.json.decode(msgspec.json.encode(vector["value"]), type=struct)
    except msgspec.ValidationError as error:
        found = re.search(r"`(\$[^`]*)`$", str(error))
        return found.group(1) if found else "$"
    again = msgspec.json.decode(msgspec.json.encode(decoded), type=struct)
    return None if again == decoded else "changed"


@pytest.mark.parametrize("method", METHODS)
def test_vectors_decode_or_are_refused(method: str) -> None:
    vectors = [vector for vector in VECTORS if vector["method"] == method]
    expected = {f"{vector['part']}, {vector['why']}": vector.get("path") for vector in vectors}
    assert {f"{vector['part']}, {vector['why']}": fault_of(vector) for vector in vectors} == expected
    assert len(expected) == len(vectors), "two vectors of one name"


def test_every_method_has_vectors_of_both_kinds() -> None:
    seen = {(v["method"], v["part"], v["valid"]) for v in VECTORS}
    for method in METHODS.values():
        assert (method.name, "params", True) in seen
        if method.sender == "client":
            assert (method.name, "params", False) in seen
        if method.result is not None:
            assert (method.name, "result", True) in seen


def test_wire_names_are_camel_case() -> None:
    for method in METHODS.values():
        for struct in filter(None, (method.params, method.result)):
            for field in msgspec.structs.fields(struct):
                if field.encode_name != "exit_code":  # as some agents spell `exitCode`; accepted beside it
                    assert re.fullmatch(r"[a-z]+([A-Z][a-z0-9]*)*", field.encode_name), field


def test_error_codes_stay_clear_of_reserved_ranges() -> None:
    own = [code for code in ErrorCode if -32099 <= code <= -32000 and code != ErrorCode.SERVER_NOT_INITIALIZED]
    assert len(own) == len(set(own)) >= 7
    assert all(not -32899 <= code <= -32800 for code in own)


def test_a_time_beyond_any_clock_is_refused() -> None:
    params = {"content": "x", "expiresAt": 10**20}
    with pytest.raises(msgspec.ValidationError, match=r"\$\.expiresAt"):
        msgspec.convert(params, METHODS["memory/record"].params)
    assert msgspec.convert({**params, "expiresAt": 2**53 - 1}, METHODS["memory/record"].params)


def test_every_field_has_a_meaning_and_no_meaning_is_without_a_field() -> None:
    words = tomllib.loads((generate.HERE / "fields.toml").read_text())
    shared = words.pop("any")
    defined = {name: set(found.get("properties", ())) for name, found in schema()["$defs"].items()}
    used = {(name, field) for name, fields in defined.items() for field in fields if field in words.get(name, {})}
    assert used == {(name, field) for name, fields in words.items() for field in fields}
    plain = {field for name, fields in defined.items() for field in fields if field not in words.get(name, {})}
    assert plain == set(shared)
    assert all(text.endswith(".") for text in (*shared.values(), *(t for own in words.values() for t in own.values())))


def test_there_is_an_example_for_every_method_that_the_structs_take() -> None:
    found = msgspec.json.decode((generate.HERE / "examples.json").read_bytes())
    assert list(found) == list(METHODS), "run python -m tests.protocol.examples"
    for name, exchange in found.items():
        msgspec.convert(exchange["params"], METHODS[name].params)
        if METHODS[name].result is not None:
            msgspec.convert(exchange["result"], METHODS[name].result)
