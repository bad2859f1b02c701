"""Small changes to other people's JSON, TOML, YAML and Markdown, and back."""

from __future__ import annotations

import json
import tomllib

import pytest
import yaml as pyyaml
from hypothesis import given
from hypothesis import strategies as st

from sidecar.cli.edits import EditRefused, jsonc, marked, toml, yaml
from sidecar.cli.edits.jsonc import with_items, with_value, without_items, without_value
from tests.client.json_value import Json

JSONC = """// my settings
{
  "theme": "One Dark", // dark
  /* servers */
  "servers": {
    "other": { "command": "x" }, // other
  },
  "last": 1 // last
}
"""


def own(item: object) -> bool:
    return isinstance(item, dict) and "y" in item


def test_comments_order_and_trailing_commas_stay() -> None:
    changed = with_value(with_value(JSONC, ["servers", "mine"], {"command": "y"}), ["new"], 2)
    kept = [line for line in JSONC.splitlines() if line != '  "last": 1 // last']
    assert [line for line in changed.splitlines() if line in kept] == kept
    assert '"last": 1, // last\n  "new": 2\n' in changed
    assert with_value(changed, ["servers", "mine"], {"command": "y"}) == changed
    assert '"y"' not in with_value(changed, ["servers", "mine"], {"command": "z"})
    assert without_value(without_value(changed, ["servers", "mine"]), ["new"]) == JSONC.replace('"x" }, //', '"x" } //')


def test_additions_to_our_value_stay() -> None:
    changed = with_value('{"a": {"b": {"command": "x", "env": {"K": "v"}}}}', ["a", "b"], {"command": "y"})
    assert json.loads(changed) == {"a": {"b": {"command": "y", "env": {"K": "v"}}}}


@pytest.mark.parametrize(
    "text",
    ["", "{}", "{ }\n", '{"a": 1}', '{"a": [1, 2,],}', '{\n\t"a": {"b": []}\n}\n', '\ufeff{"a": "}{//"}', "{ // c\n}"],
)
def test_every_shape_takes_a_value_and_an_item_and_gives_them_back(text: str) -> None:
    changed = with_items(with_value(text, ["n", "m"], {"x": 1}), ["list", "inner"], {"y": 2}, own)
    assert with_items(with_value(changed, ["n", "m"], {"x": 1}), ["list", "inner"], {"y": 2}, own) == changed
    read = jsonc.read_value(changed)
    assert read["n"] == {"m": {"x": 1}}
    assert read["list"] == {"inner": [{"y": 2}]}
    again = with_items(changed, ["list", "inner"], {"y": 3}, own)
    assert jsonc.read_value(again)["list"] == {"inner": [{"y": 3}]}
    back = without_value(without_items(changed, ["list", "inner"], own), ["n", "m"])
    assert jsonc.read_value(back) == jsonc.read_value(text)
    assert (not jsonc.read_value(back)) == (jsonc.read_value(text) == {})


plain = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=4), plain, max_size=4), st.sampled_from([None, 1, "\t"]))
def test_any_object_is_as_before_but_for_ours(data: dict[str, Json], indent: str | int | None) -> None:
    text = json.dumps(data, indent=indent)
    changed = with_value(text, ["our key", "b"], {"c": [1]})
    assert json.loads(changed) == {**data, "our key": {"b": {"c": [1]}}}
    assert json.loads(without_value(changed, ["our key", "b"])) == data


@given(st.lists(st.integers() | st.just({"y": 1}), max_size=6), st.sampled_from([None, 2]))
def test_any_list_keeps_the_items_of_others(items: list[object], indent: int | None) -> None:
    text = json.dumps({"list": items, "z": 0}, indent=indent)
    others = [item for item in items if not own(item)]
    assert json.loads(with_items(text, ["list"], {"y": 2}, own))["list"] == [*others, {"y": 2}]
    left = json.loads(without_items(text, ["list"], own))
    assert left.get("list", []) == others
    assert left["z"] == 0


@pytest.mark.parametrize("text", ["{", "[1", '{"a" 1}', "{} {}", "nonsense", '{"a": tru}', "[" * 5_000])
def test_invalid_json_is_not_touched(text: str) -> None:
    with pytest.raises(EditRefused):
        with_value(text, ["a", "b"], 1)
    with pytest.raises(EditRefused):
        without_value(text, ["a", "b"])


TOML = """# mine
model = "x" # also mine

[mcp_servers.a]
command = "y"
args = [
  "[not a table]",
]

[tui]
theme = "dark"
"""


@pytest.mark.parametrize("text", ["", "\n", "a = 1", TOML, TOML + '\n[mcp_servers."b"] # old\ncommand = "z"\nk = 1\n'])
def test_a_table_is_added_changed_and_taken_out(text: str) -> None:
    values = {"command": "c", "args": ["mcp"], "n": 20}
    changed = toml.with_table(text, ("mcp_servers", "b"), values)
    there = tomllib.loads(text).get("mcp_servers", {}).get("b", {})
    assert tomllib.loads(changed)["mcp_servers"]["b"] == {**there, **values}
    assert all(line in changed for line in text.splitlines() if "z" not in line)
    assert toml.with_table(changed, ("mcp_servers", "b"), values) == changed
    deeper = changed + "\n[mcp_servers.b.tools.x]\nmode = 1\n"
    back = tomllib.loads(toml.without_table(deeper, ("mcp_servers", "b")))
    wanted = tomllib.loads(text)
    wanted.get("mcp_servers", {}).pop("b", None)
    assert back == wanted


YAML = """# mine
name: m # also mine
list:
- name: a
  command: x

- name: z
map:
    one:
        k: v
"""


@pytest.mark.parametrize(
    "text", ["", "name: m", YAML, "list: []\nmap: {}\n", "list:\nmap:\n", "---\nlist: # c\n  # d\n  - name: a\n"]
)
@pytest.mark.parametrize("listed", [True, False])
def test_an_entry_is_added_changed_and_taken_out(text: str, listed: bool) -> None:
    key = "list" if listed else "map"
    before = pyyaml.safe_load(text) or {}
    entry = {"command": "a: b # c", "args": ["mcp"], "enabled": True}
    changed = yaml.with_entry(text, key, "our-own", entry, listed=listed)
    found = pyyaml.safe_load(changed)[key]
    mine = next(each for each in found if each["name"] == "our-own") if listed else found["our-own"]
    assert mine == ({"name": "our-own", **entry} if listed else entry)
    assert yaml.with_entry(changed, key, "our-own", entry, listed=listed) == changed
    assert "# also mine" in changed or "# also mine" not in text
    other = yaml.with_entry(changed, key, "our-own", {"command": "n"}, listed=listed)
    assert "a: b" not in other
    back = pyyaml.safe_load(yaml.without_entry(other, key, "our-own", listed=listed)) or {}
    assert {k: v for k, v in back.items() if v} == {k: v for k, v in before.items() if v}


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("after", ["", "\n"])
def test_a_deeper_comment_after_our_entry_stays(listed: bool, after: str) -> None:
    key = "list" if listed else "map"
    rest = "  - name: a\n    command: x\n" if listed else "  one:\n    k: v\n"
    text = f"{key}:\n{after}        # why a is here\n\n      # and more of it\n{rest}# end\n"
    changed = yaml.with_entry(text, key, "our-own", {"command": "m"}, listed=listed)
    again = yaml.with_entry(changed, key, "our-own", {"command": "n"}, listed=listed)
    assert "# why a is here" in again
    assert "# and more of it" in again
    assert yaml.without_entry(again, key, "our-own", listed=listed) == text


@pytest.mark.parametrize("text", ["a: [", "- a\n", "list: {a: 1}\n", "list: [{name: a}]\n"])
def test_change_that_cannot_be_made_in_place_is_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        yaml.with_entry(text, "list", "b", {"c": "d"}, listed=True)


@pytest.mark.parametrize("text", ["", "# Mine\n", "# Mine", "# Mine\n\nText.\n\n\n"])
def test_a_marked_paragraph_is_replaced_and_taken_out(text: str) -> None:
    changed = marked.with_block(text, "One.\nTwo.\n")
    assert changed.startswith(text)
    assert marked.with_block(changed, "One.\nTwo.") == changed
    assert marked.with_block(changed, "Three.").count("memory-sidecar: begin") == 1
    assert "Two." not in marked.with_block(changed, "Three.")
    assert marked.without_block(changed).strip() == text.strip()
    assert marked.without_block(changed + "\nAfter.\n").endswith("After.\n")


def test_comments_that_stand_alone_stay() -> None:
    text = "// top\n{\n  // put your settings here\n}\n"
    changed = with_value(text, ["servers", "ours"], {"command": "x"})
    assert "// put your settings here\n" in changed
    assert json.loads("\n".join(line for line in changed.splitlines() if "//" not in line))["servers"]
    assert without_value(changed, ["servers", "ours"]).startswith("// top\n{\n  // put your settings here\n")
    later = toml.with_table("a = 1\n", ("m", "b"), {"c": "d"}) + "\n# about the next\n[next]\nx = 1\n\n# end\n"
    assert toml.without_table(later, ("m", "b")) == "a = 1\n\n# about the next\n[next]\nx = 1\n\n# end\n"


@pytest.mark.parametrize("text", ['{"\\x": 1}', '{"a\nb": 1}'])
def test_a_key_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(EditRefused):
        with_value(text, ["a"], 1)


def test_a_date_that_there_is_not_is_refused() -> None:
    with pytest.raises(EditRefused):
        yaml.with_entry("day: 2024-13-45\n", "list", "b", {"c": "d"}, listed=True)


def test_a_mark_without_its_end_takes_no_text_away() -> None:
    broken = f"{marked.BEGIN}\nOld.\n\nTheirs.\n"
    changed = marked.with_block(marked.with_block(broken, "One."), "Two.")
    assert "Theirs." in changed
    assert marked.without_block(changed).strip() == broken.strip()
