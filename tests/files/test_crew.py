"""Worker processes: what becomes of a crew whose workers end between two rounds of work."""

from __future__ import annotations

from pathlib import Path

import pytest

from sidecar.files.crew import Crew
from sidecar.files.worker import Batch


def batches(folder: Path) -> list[Batch]:
    (folder / "one.py").write_text("def first_one(): ...\n")
    return [Batch(str(folder), 100_000, [], ["one.py"])]


@pytest.mark.filterwarnings("error::pytest.PytestUnhandledThreadExceptionWarning")
def test_workers_that_have_ended_are_started_again(tmp_path: Path) -> None:
    work = batches(tmp_path)
    with Crew(1, awaited=True) as crew:
        first = list(crew.run(work))
        crew._workers[0]._process.kill()
        crew._workers[0]._process.wait()
        assert list(crew.run(work)) == first
    assert [one.path for one in first[0]] == ["one.py"]
