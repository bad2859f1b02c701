"""The session that the tour plays, and the claims that it checks against the server's answers."""

from __future__ import annotations

import secrets
import shutil
import string
import time
from collections.abc import Iterator, Mapping
from difflib import unified_diff
from pathlib import Path
from typing import Any

import msgspec

from protocol.client import ServerGone, WireError
from protocol.files import Symbol
from protocol.memories import InjectParams, RecordParams
from sidecar.cli.tour.agent import TourAgent, tour_environment
from sidecar.cli.tour.edits import SYMBOL, edited
from sidecar.cli.tour.survey import Survey
from sidecar.cli.tour.transcript import TourStep

_SAMPLE = Path(__file__).with_name("survey.py")
"""Shown if the folder has no source file of its own."""

_MIN_LINES = 100
_UNRELATED = "How long should sourdough rise overnight?"


class Tour:
    """One tour of `folder`; the caller removes the folder `temporary`."""

    def __init__(self, folder: Path, temporary: Path, survey: Survey, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.survey = survey
        self.store = temporary / "store"
        self.scratch = temporary / "scratch" / (folder.name or "folder")
        self._symbol = ""
        self._sample = not survey.candidates
        if self._sample:
            self.folder = temporary / "sample"
            self.folder.mkdir()
            shutil.copy(_SAMPLE, self.folder)
            self.survey = survey._replace(candidates=[_SAMPLE.name])
        environment = tour_environment(environ, temporary, watch=survey.complete)
        self.agent = TourAgent(self.folder, self.scratch, environment, watches=survey.complete)
        self.file = self.survey.candidates[0]

    def steps(self) -> Iterator[TourStep]:
        """Yield each step when it is done; the tour ends early after a step that lost the server."""
        for name, title, play in (
            ("start", "A server of its own, over stdio", self._start),
            ("summary", "What an agent gets instead of a file", self._summary),
            ("edit", "A file is edited", self._edit),
            ("record", "Memories are recorded", self._record),
            ("inject", "What an agent is given before a task", self._inject),
        ):
            step = TourStep(name, title)
            try:
                play(step)
            except (WireError, ServerGone, OSError, msgspec.MsgspecError) as error:
                step.claim("The step was completed.", False, str(error))
                if isinstance(error, ServerGone) or name == "start":
                    yield step
                    return
            yield step

    def _start(self, step: TourStep) -> None:
        for candidate in self.survey.candidates:
            target = self.scratch / candidate
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((self.folder / candidate).read_bytes())
        information = self.agent.launch()
        step.claim("The server answered initialize.", bool(information.get("capabilities")))
        step.data = {
            "folder": str(self.folder),
            "files": self.survey.files,
            "complete": self.survey.complete,
            "sample": self._sample,
            "store": str(self.store),
            "scratch": str(self.scratch),
        }

    def _summary(self, step: TourStep) -> None:
        summaries = [self.agent.summary(self.folder, path) for path in self.survey.candidates]
        first = summaries[0]
        self._symbol = _main_symbol(first.outline) or Path(self.file).stem
        again = self.agent.summary(self.folder, self.file)
        step.claim("The briefing is for the bytes on disk.", first.fresh and first.hash == again.hash)
        if first.lines > _MIN_LINES:
            counts = f"{first.tokens} of {first.file_tokens} tokens"
            step.claim("It is smaller than the file.", first.tokens < first.file_tokens, counts)
        step.claim(
            "It names what the file defines.",
            not first.outline or any(symbol.name in first.summary for symbol in first.outline),
        )
        step.data = {
            "path": first.path,
            "summary": first.summary,
            "files": [
                {"path": summary.path, "fileTokens": summary.file_tokens, "tokens": summary.tokens}
                for summary in summaries
            ],
        }

    def _edit(self, step: TourStep) -> None:
        path = self.scratch / self.file
        original = path.read_bytes()
        before = self.agent.summary(self.scratch, self.file)
        changed = edited(self.file, original)
        names_symbol = changed is not None
        watching = self.agent.wait_for_watcher()
        self.agent.client.forget_notifications()
        began = time.perf_counter()
        path.write_bytes(changed or original.rstrip() + b"\n" + SYMBOL.encode() + b"\n")
        noticed, by = self.agent.wait_for_invalidation(self.file, watching)
        step.claim("The client was notified that the file's briefing is outdated.", noticed is not None, by)
        after = self.agent.summary(self.scratch, self.file)
        step.claim("The next briefing is of the new content.", after.hash != before.hash and after.fresh)
        if names_symbol:
            step.claim("It names what was added.", SYMBOL in str(msgspec.to_builtins(after.outline)))
        path.write_bytes(original)
        step.claim(
            "After the edit is undone, the briefing is of the original content again.",
            self.agent.summary(self.scratch, self.file).hash == before.hash,
        )
        changes = unified_diff(before.summary.splitlines(), after.summary.splitlines(), n=0, lineterm="")
        step.data = {
            "path": self.file,
            "toldBy": by,
            "milliseconds": round((noticed - began) * 1000) if noticed is not None else None,
            "changes": [line for line in changes if not line.startswith(("---", "+++", "@@"))],
        }

    def _record(self, step: TourStep) -> None:
        secret = "AKIA" + "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(16))
        preference = "Run the tests with -q and stop at the first failure."
        decision = f"Decided: changes to `{self._symbol}` are made in `{self.file}`, not in its callers."
        leak = f"The staging bucket is opened with {secret} from the CI variables."
        known: dict[str, Any] = {"content": preference, "name": "How tests are run", "type": "user"}
        role: dict[str, Any] = {"content": decision, "name": f"Role of {Path(self.file).name}", "category": "decision"}
        role["files"] = [self.file]
        results = [
            self.agent.client.memory_record(RecordParams(workspace_uri=self.folder.as_uri(), **what))
            for what in (known, role, known, {"content": leak, "name": "Staging access", "type": "reference"})
        ]
        statuses = [result.status for result in results]
        step.claim(
            "A memory that was recorded before is recognised as a duplicate.",
            statuses == ["created", "created", "duplicate", "created"],
            ", ".join(statuses),
        )
        leaked = [
            str(path) for path in self.store.rglob("*") if path.is_file() and secret.encode() in path.read_bytes()
        ]
        step.claim(
            "The secret was removed, and no file on disk contains it.",
            bool(results[-1].redactions) and not leaked,
            ", ".join(leaked) or None,
        )
        step.data = {
            "records": [
                {"status": result.status, "type": result.memory.type, "stored": result.memory.content}
                for result in results
            ]
        }

    def _inject(self, step: TourStep) -> None:
        prompt = f"Rework {self._symbol} in {self.file}; the tests have to pass."
        inject, uri = self.agent.client.memory_inject, self.folder.as_uri()
        params = InjectParams(prompt=prompt, files=[self.file], budget_tokens=2000, workspace_uri=uri)
        block, again = inject(params), inject(params)
        step.claim("The block contains the decision about the file.", "Decided: changes to" in block.text)
        step.claim("The block contains the preference.", "Run the tests with -q" in block.text)
        step.claim("The block stays within its budget.", 0 < block.tokens <= 2000, f"{block.tokens} of 2000 tokens")
        step.claim("A second request returns the same bytes.", (again.text, again.etag) == (block.text, block.etag))
        unrelated = inject(InjectParams(prompt=_UNRELATED, workspace_uri=uri))
        step.claim("An unrelated task is not given the decision.", "Decided: changes to" not in unrelated.text)
        code = self.agent.client.close()
        step.claim("The server ended when asked to.", code == 0, f"exit code {code}")
        step.data = {"prompt": prompt, "text": block.text, "tokens": block.tokens}


def _main_symbol(outline: list[Symbol]) -> str | None:
    """Return the public symbol that takes up most of the file."""
    public = [symbol for symbol in outline if symbol.public]
    return max(public, key=lambda symbol: symbol.end_line - symbol.start_line).name if public else None
