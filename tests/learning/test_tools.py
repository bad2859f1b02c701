"""Tools under all their names, and the outcomes of their use in all spellings."""

from __future__ import annotations

import pytest

from sidecar.learning.outcome import MAX_END_CHARS, MAX_START_CHARS, read_outcome, read_text
from sidecar.learning.tools import kind_of, read_use
from sidecar.learning.workspace_paths import WorkspacePaths
from tests.client.json_value import Json


@pytest.mark.parametrize(
    ("kind", "names"),
    [
        ("shell", "Bash bash shell run_command exec exec_command run_terminal_cmd execute_command local_shell"),
        ("shell", "run_shell_command mcp__desktop__execute_command functions.shell container.exec"),
        ("edit", "Edit Write MultiEdit apply_patch str_replace write_to_file replace_in_file create_file NotebookEdit"),
        ("edit", "str_replace_based_edit_tool edit_file insert_edit_into_file replace_string_in_file"),
        ("read", "Read read view read_file view_file ReadManyFiles NotebookRead"),
        ("own", "mcp__memory-sidecar__search memory-sidecar_inject memory_search memory/record memory_sidecar"),
        ("other", "Grep Glob WebFetch TodoWrite Task think memory memory_bank browser_click update_plan"),
    ],
)
def test_a_tool_has_the_kind_of_its_name(kind: str, names: str) -> None:
    assert {name: kind_of(name) for name in names.split()} == dict.fromkeys(names.split(), kind)


@pytest.mark.parametrize("key", ["path", "file", "filePath", "file_path", "notebook_path", "target_file"])
def test_a_path_under_each_of_its_names(key: str) -> None:
    assert read_use("write", {key: "src/a.py", "content": "x"}).paths == ("src/a.py",)


@pytest.mark.parametrize(
    ("given", "paths"),
    [
        ({"edits": [{"filePath": "a"}, {"file_path": "b"}]}, ("a", "b")),
        ({"files": ["a", "b", "a"]}, ("a", "b")),
        ({"changes": {"a": {}, "b": {}}}, ("a", "b")),
        ("*** Begin Patch\n*** Update File: a\n*** Move to: b\n@@\n*** Delete File: c\n*** End Patch", ("a", "b", "c")),
        ({"patch": "--- a/x.py\n+++ b/x.py\n@@\n"}, ("x.py",)),
        ({"diff": "--- a/x.py\n+++ /dev/null\n"}, ()),
        ({"file_path": "a", "old_string": "+++ b/no.py\n", "new_string": "*** Add File: no"}, ("a",)),
        ({}, ()),
    ],
)
def test_the_files_of_an_edit(given: object, paths: tuple[str, ...]) -> None:
    assert read_use("apply_patch", given).paths == paths


def test_a_patch_through_the_shell_is_an_edit() -> None:
    script = "apply_patch <<'EOF'\n*** Begin Patch\n*** Add File: a.py\n+x\n*** End Patch\nEOF"
    use = read_use("shell", {"command": ["bash", "-lc", script], "workdir": "/w/sub"})
    assert (use.kind, use.paths, use.folder) == ("edit", ("a.py",), "/w/sub")


@pytest.mark.parametrize(
    "given", [{"command": "a b"}, {"cmd": "a b"}, {"CommandLine": "a b"}, {"command": ["a", "b"]}, "a b", ["a", "b"]]
)
def test_a_command_under_each_of_its_names(given: Json) -> None:
    use = read_use("shell", given)
    assert (use.kind, use.command) == ("shell", "a b") or (given == ["a", "b"] and use.command == "a b")


@pytest.mark.parametrize(
    ("status", "output", "exit_code", "metadata"),
    [
        (1, "", 1, None),
        (0, "", 0, {"exit": 1}),
        (2, "", None, {"exit": 2}),
        (2, "", None, {"exitCode": 2}),
        (2, "", None, {"exit_code": "2"}),
        (3, {"stdout": "", "exitCode": 3}, None, None),
        (4, {"output": "x", "metadata": {"exit_code": 4}}, None, None),
        (1, "Exit code 1\nboom", None, None),
        (127, "Process exited with code 127\n", None, None),
        (5, "", 5.0, None),
        (None, "", None, None),
        (None, "", None, {"exit": None}),
        (None, "", True, None),
        (None, "", "", {"exit": "soon"}),
        (None, "the exit code 1 is bad", None, None),
        (None, None, [], 7),
    ],
)
def test_an_exit_status_and_an_unknown_one(
    status: int | None, output: object, exit_code: object, metadata: object
) -> None:
    assert read_outcome(output, exit_code, metadata).status == status


@pytest.mark.parametrize(
    ("status", "ended"), [(0, False), (1, False), (127, False), (130, True), (143, True), (124, True)]
)
def test_command_ended_from_outside_did_not_fail(status: int, ended: bool) -> None:
    assert read_outcome("", status, None).interrupted is ended


def test_long_outputs_are_cut_to_both_ends() -> None:
    text = read_text("a" * 600_000 + "b" * 600_000)
    assert len(text) == MAX_START_CHARS + MAX_END_CHARS + 1
    assert (text[0], text[-1]) == ("a", "b")


@pytest.mark.parametrize(
    ("path", "relative"),
    [
        ("src/a.py", "src/a.py"),
        ("./src//a.py", "src/a.py"),
        ("/w/src/a.py", "src/a.py"),
        ("/real/w/src/a.py", "src/a.py"),
        ("file:///w/src/a%20b.py", "src/a b.py"),
        ("/w", "."),
        ("/wx/a.py", None),
        ("/etc/passwd", None),
        ("../a.py", None),
        ("src/../../a.py", None),
        ("", None),
        ("a\0b", None),
        ("x" * 2_000, None),
    ],
)
def test_paths_are_relative_to_the_workspace(path: str, relative: str | None) -> None:
    assert WorkspacePaths(["/w/", "/real/w"]).relative(path) == relative


def test_texts_lose_the_workspace_s_folder_and_home_folders() -> None:
    text = "/w/src/a.py and /w, not /wx/b; /home/ada/x, file:///real/w/c and /Users/bob's"
    assert WorkspacePaths(["/w", "/real/w"]).local(text) == "src/a.py and ., not /wx/b; ~/x, c and ~'s"


def test_relative_paths_start_where_the_tool_ran() -> None:
    places = WorkspacePaths(["/w"])
    assert places.relative("a.py", "/w/sub") == "sub/a.py"
    assert places.relative("a.py", "/elsewhere") is None
    assert places.edited("node_modules/x/a.js") is None


@pytest.mark.parametrize(
    ("path", "folder", "found"),
    [
        ("src\\a.py", None, "src/a.py"),
        (".\\web", None, "web"),
        ("C:\\work\\shop\\a.py", None, "a.py"),
        ("a.py", "C:/work/shop/web", "web/a.py"),
        ("D:\\other\\a.py", None, None),
    ],
)
def test_a_path_as_windows_writes_it(path: str, folder: str | None, found: str | None) -> None:
    assert WorkspacePaths(["/w", "C:/work/shop"]).relative(path, folder) == found
