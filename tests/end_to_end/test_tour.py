"""The tour as a newcomer runs it: in every kind of folder, leaving nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sidecar.cli.tour.play import TourTranscript

ROOT = Path(__file__).resolve().parents[2]
STEPS = ["start", "summary", "edit", "record", "inject"]

Tour = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def tour(tmp_path: Path) -> Tour:
    """Runs the tour in a folder, with a home and a place for temporary files of its own."""
    for name in ("home", "tmp"):
        (tmp_path / name).mkdir()
    environ = {key: value for key, value in os.environ.items() if not key.startswith(("MEMORY_SIDECAR_", "XDG_"))}
    environ |= {"HOME": str(tmp_path / "home"), "TMPDIR": str(tmp_path / "tmp"), "PYTHONPATH": str(ROOT)}

    def run(folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "sidecar", "tour", *arguments],
            cwd=folder,
            env={**environ, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            timeout=300,
            check=False,
        )
        assert list((tmp_path / "tmp").iterdir()) == []
        assert [path for path in (tmp_path / "home").rglob("*") if path.is_file()] == []
        return done

    return run


def _transcript(done: subprocess.CompletedProcess[str]) -> TourTranscript:
    transcript = msgspec.json.decode(done.stdout, type=TourTranscript)
    failed = [(step.name, claim) for step in transcript.steps for claim in step.claims if not claim.held]
    assert failed == [], transcript.log
    assert transcript.ok
    assert done.returncode == 0
    assert [step.name for step in transcript.steps] == STEPS
    return transcript


def _text(transcript: TourTranscript, name: str) -> str:
    return next(step.text for step in transcript.steps if step.name == name)


def _state(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Every file of the folder, also those of git, with its time and content."""
    return {
        str(path.relative_to(folder)): (path.stat().st_mtime_ns, path.read_bytes())
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_a_repository_is_shown_and_not_touched(tour: Tour, repository: Path) -> None:
    before = _state(repository)
    transcript = _transcript(tour(repository, "--json"))
    assert _state(repository) == before
    assert "brings one of its own" not in _text(transcript, "start")
    assert "Instead of store/" in _text(transcript, "summary")
    statuses = [line.partition(":")[0] for line in _text(transcript, "record").splitlines()]
    assert statuses == ["created", "created", "duplicate", "created"]
    assert "[redacted" in _text(transcript, "record")
    assert "<memory-notes>" in _text(transcript, "inject")


def test_tour_has_no_colours_in_a_pipe(tour: Tour, repository: Path) -> None:
    done = tour(repository)
    assert done.returncode == 0, done.stdout
    assert "claims held" in done.stdout
    assert "\x1b" not in done.stdout


@pytest.mark.parametrize("name", ["empty", "with spaces und Ümläute 日本", "plain"])
def test_folders_of_every_kind(tour: Tour, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    if name != "empty":
        body = "\n".join(f'def größe_{n}() -> int:\n    """Size {n}."""\n    return {n}\n' for n in range(60))
        (folder / "größe maß.py").write_text(body, encoding="utf-8")
    transcript = _transcript(tour(folder, "--json"))
    assert ("brings one of its own" in _text(transcript, "start")) is (name == "empty")
    assert [path.name for path in folder.iterdir()] == ([] if name == "empty" else ["größe maß.py"])


def test_a_folder_of_prose_is_shown_too(tour: Tour, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "plan.md").write_text("".join(f"# Part {n}\n\nWords of part {n}.\n\n" for n in range(40)))
    assert "Instead of plan.md" in _text(_transcript(tour(folder, "--json")), "summary")


def test_a_folder_with_packages_named_like_ours(tour: Tour, tmp_path: Path) -> None:
    folder = tmp_path / "trap"
    for name in ("sidecar", "protocol", "click"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text("raise SystemExit('imported from the workspace')\n")
    _transcript(tour(folder, "--json"))


def test_the_users_settings_do_not_spoil_it(tour: Tour, repository: Path) -> None:
    (repository / ".agents").mkdir()
    (repository / ".agents" / "memory-sidecar.toml").write_text("[memory]\nenabled = false\n")
    _transcript(tour(repository, "--json", MEMORY_SIDECAR_MEMORY_ENABLED="false", MEMORY_SIDECAR_WATCH_MODE="off"))


def test_a_claim_that_does_not_hold_is_said_and_ends_with_1(tour: Tour, repository: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken" / "sidecar" / "lsp"
    broken.mkdir(parents=True)
    for path in (ROOT / "sidecar").iterdir():
        if path.name != "lsp" and path.name != "__pycache__":
            (broken.parent / path.name).symlink_to(path)
    (tmp_path / "broken" / "protocol").symlink_to(ROOT / "protocol")
    (broken / "__init__.py").write_text("")
    (broken / "process.py").write_text("import sys\ndef run():\n    sys.exit('no server today')\n")
    done = tour(repository, PYTHONPATH=str(tmp_path / "broken"))
    assert done.returncode == 1
    assert "did not hold" in done.stdout
    assert "no server today" in done.stdout
