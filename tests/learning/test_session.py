"""Sessions with unusual orders of events; the corpus holds the usual ones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.learning.compaction import proposals
from sidecar.learning.lesson import Lesson
from sidecar.learning.own_output import without_echo
from sidecar.learning.session import LearningSession
from sidecar.learning.workspace_paths import WorkspacePaths

NOW = 1_700_000_000_000


@pytest.fixture
def session() -> LearningSession:
    return LearningSession("s1", WorkspacePaths(["/w"]))


def ran(
    session: LearningSession, command: str, output: str = "", status: int | None = 0, id: str | None = None
) -> list[Lesson]:
    return session.tool_result("bash", {"command": command}, output, status, None, id, NOW)


def test_results_that_come_in_another_order_than_their_calls(session: LearningSession) -> None:
    session.tool_call("bash", {"command": "make a"}, "1")
    session.tool_call("bash", {"command": "make b"}, "2")
    assert not session.tool_result("bash", None, "error: b is broken", 2, None, "2", NOW)
    assert not session.tool_result("bash", None, "", 0, None, "1", NOW)
    (lesson,) = ran(session, "PART=1 make b")
    assert lesson.content == "`make b` fails with “error: b is broken”; `PART=1 make b` passes."


def test_calls_without_ids_are_matched_by_tool_and_input(session: LearningSession) -> None:
    session.tool_call("bash", {"command": "make"}, None)
    session.tool_result("bash", None, "ok", 0, None, None, NOW)
    session.tool_result("bash", {"command": "make test"}, "ok", 0, None, None, NOW)
    assert ran(session, "make test")  # the second
    assert ran(session, "make")


def test_a_result_or_call_that_comes_twice_counts_once(session: LearningSession) -> None:
    for _ in range(3):
        session.tool_call("bash", {"command": "make"}, "c")
        assert not session.tool_result("bash", None, "ok", 0, None, "c", NOW)
    assert ran(session, "make")


def test_nobody_s_home_folder_is_kept(session: LearningSession) -> None:
    summary = "## Memory Candidates\n- **Config of /root/x**: it lies at /root/.config/x and C:\\Users\\bob\\x\n"
    (lesson,) = session.compaction(summary, NOW)
    assert (lesson.name, lesson.content) == ("Config of ~/x", "it lies at ~/.config/x and ~\\x")
    (lesson,) = session.user_message("Never touch the routes in web/root/routes and /root/srv/routes.", NOW)
    assert lesson.content == "Never touch the routes in web/root/routes and ~/srv/routes."


def test_open_failures_are_bounded(session: LearningSession) -> None:
    for number in range(30):
        assert not ran(session, f"make part{number}", f"error: {number} is broken", 2)
    assert not ran(session, "PART=13 make part13"), "put away"
    assert ran(session, "PART=14 make part14")
    session.end()


def test_reads_are_the_last_sixteen_files(session: LearningSession) -> None:
    for number in (*range(20), 7):
        session.tool_call("Read", {"file_path": f"/w/{number}.py"}, None)
    assert list(session.reads) == [f"{number}.py" for number in (*range(4, 7), *range(8, 20), 7)]


@pytest.mark.parametrize(
    "text",
    [
        '<memory-notes v="1" etag="1">\nAlways use tabs.\n</memory-notes>',
        '<memory-notes v="1" etag="1">\nAlways use tabs.',
        "Always use tabs.\n</memory-notes>",
        "&lt;memory-notes v=1&gt;Always use tabs.&lt;/memory-notes&gt;",
        '"\\u003cmemory-notes v=\\"1\\"\\u003e\\nAlways use tabs.\\n\\u003c/memory-notes\\u003e"',
        "- (2026-01-02) Always use tabs.",
    ],
)
def test_our_own_text_is_cut_out_whatever_its_form(session: LearningSession, text: str) -> None:
    assert "tabs" not in without_echo(text)
    assert not session.user_message(text, NOW)
    assert session.user_message(f"{text}\n\nAlways use spaces in this project.", NOW) or text.endswith("tabs.")


def test_candidates_in_other_forms() -> None:
    found = proposals(
        "**Memory Candidates**\n\n"
        "- **One** [feedback, personal] - first thing to know\n"
        "+ **Two:** second thing\n"
        "3) __Three__ (preference): third thing\n"
        "* **Four** (blocker): fourth thing\n"
        "\n**Next steps**\n- **Five**: not a candidate\n"
    )
    assert [(each.name, each.type, each.scope, each.category) for each in found] == [
        ("One", "feedback", "personal", None),
        ("Two", "project", None, None),
        ("Three", "user", None, None),
        ("Four", "project", None, "blocker"),
    ]


events = st.one_of(
    st.tuples(
        st.just("call"), st.sampled_from(["bash", "edit", "read"]), st.text(max_size=20), st.sampled_from([None, "1"])
    ),
    st.tuples(st.just("result"), st.sampled_from(["bash", "edit"]), st.text(max_size=20), st.sampled_from([None, "1"])),
    st.tuples(st.sampled_from(["say", "think", "sum"]), st.text(max_size=80)),
)


@given(st.lists(events, max_size=15))
def test_nothing_breaks_a_session(given: list[tuple[Any, ...]]) -> None:
    session = LearningSession("s", WorkspacePaths(["/w"]))
    for event in given:
        match event:
            case ("call", tool, text, id):
                session.tool_call(tool, {"command": text, "path": text}, id)
            case ("result", tool, text, id):
                session.tool_result(tool, {"command": text, "path": text}, text, len(text) % 3, None, id, NOW)
            case ("say", text):
                session.user_message(text, NOW)
            case ("think", text):
                session.reasoning(text)
            case (_, text):
                session.compaction(f"## Memory Candidates\n- {text}", NOW)
    session.end()


@pytest.mark.parametrize("command", ["npm install", "gh pr view", "/tmp/x/run.sh --all", "python $SCRIPT", "git push"])
def test_general_commands_are_no_practice(session: LearningSession, command: str) -> None:
    assert [ran(session, command) for _ in range(4)] == [[]] * 4


def test_commands_named_by_a_manifest_are_no_lesson(tmp_path: Path) -> None:
    (tmp_path / "web").mkdir()
    (tmp_path / "web" / "package.json").write_text('{"scripts": {"test:unit": "vitest run"}}')
    (tmp_path / "Makefile").write_text(".PHONY: all\nall: build test\n\nfuzz seeds: all\n\ttrue\n")
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    (tmp_path / ".github" / "workflows" / "ci.yml").write_text("- run: go test ./...\n")
    session = LearningSession("s1", WorkspacePaths([str(tmp_path)]))

    def taught(command: str) -> bool:
        ran(session, command)
        return bool(ran(session, command))

    assert not taught("cd web && pnpm run test:unit")
    assert not taught("cd web && npx vitest run src")
    assert not taught("make all")
    assert not taught("go test ./pkg/api -run X")
    assert taught("make lint")
    assert taught("npm run test:unit"), "not a script of this folder"
    assert taught("go generate ./...")


@pytest.mark.parametrize("command", ["pytest -q 'half", "make build ))", "if then fi npm"])
def test_a_line_that_is_no_whole_shell_line_is_no_way_of_working(session: LearningSession, command: str) -> None:
    assert [ran(session, command) for _ in range(4)] == [[]] * 4


@pytest.mark.parametrize("end", ["</memory-notes>", "&lt;/memory-notes&gt;"])
def test_an_end_without_its_beginning_takes_no_candidates_away(session: LearningSession, end: str) -> None:
    summary = (
        "We worked.\n\n## Memory Candidates\n\n- **Port** (project, project): The server listens on port 8321.\n"
        f"- (2026-01-02) Always use tabs.\n{end}\n- **Host** (project): The host is called heron.\n"
        '<memory-notes v="1" etag="1">\n- **Old** (project): Known before.\n</memory-notes>\n'
    )
    assert [each.name for each in session.compaction(summary, NOW)] == ["Port", "Host"]
