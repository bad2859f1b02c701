"""Shapes of a failure and its fix, and near misses: what a session learns from each, and how it words it."""

from __future__ import annotations

import pytest

from sidecar.learning.lesson import UNREACHABLE_SESSIONS, Lesson
from sidecar.learning.session import LearningSession
from sidecar.learning.workspace_paths import WorkspacePaths
from tests.learning.fix_shapes import Shape, shapes

NOW = 1_700_000_000_000


def learned(shape: Shape) -> list[Lesson]:
    session, found = LearningSession("s1", WorkspacePaths(["/w"])), []
    for number, (kind, params) in enumerate(shape.events("/w")):
        given = (params.get("output"), params.get("exitCode"), None, str(number), NOW)
        if kind == "toolCall":
            session.tool_call(params["tool"], params["input"], str(number))
        else:
            found += session.tool_result(params["tool"], params["input"], *given)
    session.end()
    return [lesson for lesson in found if lesson.rule == "error-fix"]


@pytest.mark.parametrize("shape", shapes(), ids=lambda shape: shape.id)
def test_a_shape_teaches_what_it_should(shape: Shape) -> None:
    found = learned(shape)
    assert [shape.fits(lesson.content) for lesson in found] == [True] * bool(shape.says)
    assert [lesson.at_once for lesson in found] == [shape.once] * bool(shape.says)
    assert not any(lesson.files and lesson.at_once for lesson in found)
    assert [lesson.sessions == UNREACHABLE_SESSIONS for lesson in found if shape.part == "destroys"] == [True] * bool(
        shape.part == "destroys" and shape.says
    )


def ran(
    session: LearningSession, command: str, output: str = "", status: int | None = 0, **more: object
) -> list[Lesson]:
    return session.tool_result("bash", {"command": command, **more}, output, status, None, None, NOW)


@pytest.fixture
def session() -> LearningSession:
    return LearningSession("s1", WorkspacePaths(["/w"]))


def test_failed_attempt_is_no_remedy(session: LearningSession) -> None:
    missing = "ModuleNotFoundError: No module named 'shop'"
    ran(session, "pytest", missing, 1)
    ran(session, "pip install shop-tools")
    ran(session, "PYTHONPATH=lib pytest", missing, 1)
    ran(session, "pip install -e .")
    (lesson,) = ran(session, "PYTHONPATH=lib pytest", "3 passed")
    assert lesson.content.endswith("it passes after `pip install -e .`.")


def test_a_command_of_another_folder_is_another_command(session: LearningSession) -> None:
    ran(session, "cd web && npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432", 1)
    assert not ran(session, "cd api && npm test", "ok")
    ran(session, "cd /elsewhere && make", "make: gcc: command not found", 2)
    ran(session, "apt-get install -y gcc")
    assert not ran(session, "cd /elsewhere && make")


def test_command_that_hides_its_status_is_judged_by_its_summary(session: LearningSession) -> None:
    ran(session, "pytest | tail -3", "E   ModuleNotFoundError: No module named 'yaml'\n1 error in 0.1s")
    ran(session, "pip install yaml")
    assert not ran(session, "pytest | tail -1", "")
    assert not ran(session, "pytest -x; npm test", "3 passed", None), "of which of the two?"
    (lesson,) = ran(session, "pytest | tail -1", "3 passed in 0.2s")
    assert "`pip install yaml`" in lesson.content


def test_no_password_is_kept_with_what_a_command_was_run_with(session: LearningSession) -> None:
    ran(session, "make seed", "KeyError: 'DB_PASSWORD'", 2)
    (lesson,) = ran(session, "DB_PASSWORD=hunter2 DB_HOST=db make seed")
    assert "hunter2" not in lesson.content
    assert "DB_HOST=db make seed" in lesson.content


def test_a_line_of_powershell_and_a_quote_too_many(session: LearningSession) -> None:
    ran(session, '"npm run build', "Error: Cannot find module 'vite'", 1)
    ran(session, 'cd "C:\\work\\shop"; npm run build"', "Error: Cannot find module 'vite'", 1)
    ran(session, '"npm install"')
    (lesson,) = ran(session, "npm run build", "ok")
    assert lesson.content.startswith("`npm run build` fails")
    assert "after `npm install`" in lesson.content


@pytest.mark.parametrize(
    ("command", "error", "between"),
    [
        (
            "fetch-page open http://localhost:4100/a && fetch-page shot a.png",
            "page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:4100/a",
            "fetch-page open http://localhost:4100/a",
        ),
        (
            "mvn compile",
            "[ERROR] src/main/java/com/shop/Till.java:[7,9] cannot find symbol",
            "mvn exec:java -Dexec.mainClass=com.shop.Till",
        ),
    ],
)
def test_a_part_of_what_failed_and_other_work_of_the_program_cured_nothing(
    session: LearningSession, command: str, error: str, between: str
) -> None:
    ran(session, command, error, 1)
    ran(session, between)
    assert not any(lesson.at_once for lesson in ran(session, command))


def test_a_command_that_destroys_waits_for_a_person_however_often_it_is_run(session: LearningSession) -> None:
    ran(session, "docker system prune -af")
    (lesson,) = ran(session, "docker system prune -af")
    assert (lesson.at_once, lesson.sessions) == (False, UNREACHABLE_SESSIONS)
