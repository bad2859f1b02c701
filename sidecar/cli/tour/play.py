"""The session that the tour plays, with every claim checked against the server's answers."""

from __future__ import annotations

import os
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
from protocol.memories import InjectResult, ListResult, RecordResult, SearchResult
from protocol.status import StatusResult
from sidecar.cli.tour.agent import TourAgent, tour_environment
from sidecar.cli.tour.edits import SYMBOL, edited
from sidecar.cli.tour.learning import learn
from sidecar.cli.tour.survey import Survey
from sidecar.cli.tour.transcript import TourStep

_STEPS = {
    "start": "A server of its own, over stdio",
    "summary": "What an agent gets instead of a file",
    "edit": "A file is edited",
    "record": "Things are learned",
    "restart": "The process is killed, and started again",
    "inject": "What an agent is given in front of a task",
    "silence": "And in front of a task that none of it is about",
    "learn": "What it learns by itself",
    "end": "How long it took",
}
_SAMPLE = Path(__file__).with_name("survey.py")
"""Shown if the folder has no source file of its own."""

_REPEATS = 20
_LONG_ENOUGH = 100
_UNRELATED = "How long should sourdough rise overnight?"
_OUTSIDE = ("user", "directive")


class Tour:
    """One tour of `folder`; `room` is a temporary folder, which the caller removes."""

    def __init__(self, folder: Path, room: Path, survey: Survey, environ: Mapping[str, str]) -> None:
        self.folder = folder
        self.found = survey
        self.store = room / "store"
        self.scratch = room / "scratch" / (folder.name or "folder")
        letters = string.ascii_uppercase + string.digits
        self._secret = "AKIA" + "".join(secrets.choice(letters) for _ in range(16))
        self._told: list[tuple[str, str]] = []
        self._outline: list[Symbol] = []
        self._sample = not survey.candidates
        if self._sample:
            self.folder = room / "sample"
            self.folder.mkdir()
            shutil.copy(_SAMPLE, self.folder)
            self.found = survey._replace(candidates=[_SAMPLE.name])
        environment = tour_environment(environ, room, watch=survey.complete)
        self.agent = TourAgent(self.folder, self.scratch, environment, watches=survey.complete)
        self.file = self.found.candidates[0]

    def steps(self) -> Iterator[TourStep]:
        """Yield each step when it is done; the tour ends early after a step that lost the server."""
        for name, title in _STEPS.items():
            step = TourStep(name, title)
            try:
                getattr(self, f"_{name}")(step)
            except (WireError, ServerGone, OSError, msgspec.MsgspecError) as error:
                step.claim("The step ran to its end.", False, str(error))
                yield step
                if isinstance(error, ServerGone) or name in ("start", "restart"):
                    return
                continue
            yield step

    def _start(self, step: TourStep) -> None:
        self._copy_files()
        information = self.agent.launch("start to initialized")
        step.claim("The server answered initialize.", bool(information.get("capabilities")))
        step.data = {
            "folder": str(self.folder),
            "files": self.found.files,
            "complete": self.found.complete,
            "sample": self._sample,
            "milliseconds": round(self.agent.timings["start to initialized"][0]),
            "server": information.get("serverInfo", {}),
            "store": str(self.store),
            "scratch": str(self.scratch),
        }

    def _summary(self, step: TourStep) -> None:
        summaries = [
            self.agent.summary(self.folder, path, "file/summary, first time") for path in self.found.candidates
        ]
        first = summaries[0]
        self._outline = first.outline
        for _ in range(_REPEATS):
            again = self.agent.summary(self.folder, self.file, "file/summary, known")
        step.claim("The briefing is for the bytes on disk.", first.fresh and first.hash == again.hash)
        if first.lines > _LONG_ENOUGH:
            step.claim(
                "It is smaller than the file.",
                first.tokens < first.file_tokens,
                f"{first.tokens} of {first.file_tokens} tokens",
            )
        step.claim(
            "It names what the file defines.",
            not first.outline or any(symbol.name in first.summary for symbol in first.outline),
        )
        step.data = {
            "path": first.path,
            "language": first.language,
            "summary": first.summary,
            "advice": first.advice,
            "files": [
                {
                    "path": summary.path,
                    "lines": summary.lines,
                    "fileTokens": summary.file_tokens,
                    "tokens": summary.tokens,
                    "saved": max(0, summary.file_tokens - summary.tokens),
                }
                for summary in summaries
            ],
        }

    def _edit(self, step: TourStep) -> None:
        path = self.scratch / self.file
        original = path.read_bytes()
        before = self.agent.summary(self.scratch, self.file, "file/summary, same content elsewhere")
        step.claim(
            "A copy at another place is recognised by its content.",
            before.hash == self.agent.summary(self.folder, self.file, "file/summary, known").hash,
        )
        changed = edited(self.file, original)
        if changed is None:
            changed = original.rstrip() + b"\n" + SYMBOL.encode() + b"\n"
        watching = self.agent.wait_for_watcher()
        self.agent.client.forget_notifications()
        began = time.perf_counter()
        path.write_bytes(changed)
        noticed, by = self.agent.told_of_change(self.file, watching)
        if noticed is not None:
            self.agent.timings["edit to file/didInvalidate"].append((noticed - began) * 1000)
        step.claim("The client was told that what is known of the file no longer holds.", noticed is not None, by)
        after = self.agent.summary(self.scratch, self.file, "file/summary, after an edit")
        step.claim("The next briefing is of the new content.", after.hash != before.hash and after.fresh)
        if edited(self.file, b"") is not None:
            step.claim("It names what was added.", SYMBOL in str(msgspec.to_builtins(after.outline)))
        path.write_bytes(original)
        back = self.agent.summary(self.scratch, self.file, "file/summary, edit taken back")
        step.claim("Taken back, it is known again, with no word from anybody.", back.hash == before.hash)
        step.data = {
            "path": self.file,
            "toldBy": by,
            "milliseconds": round((noticed - began) * 1000) if noticed is not None else None,
            "oldHash": before.hash,
            "newHash": after.hash,
            "changes": [
                line
                for line in unified_diff(before.summary.splitlines(), after.summary.splitlines(), n=0, lineterm="")
                if not line.startswith(("---", "+++", "@@"))
            ],
        }

    def _record(self, step: TourStep) -> None:
        symbol = _main_symbol(self._outline) or Path(self.file).stem
        preference = "Run the tests with -q and stop at the first failure."
        known = {"name": "How tests are run", "type": "user"}
        correction = "Corrected: do not catch an exception only to log it; let it reach the caller."
        decision = f"Decided: changes to `{symbol}` are made in `{self.file}`, not in its callers."
        role = {"name": f"Role of {Path(self.file).name}", "category": "decision", "files": [self.file]}
        secret = f"The staging bucket is opened with {self._secret} from the CI variables."
        drafts: list[tuple[str, str, dict[str, Any], str]] = [
            ("a preference", preference, known, "created"),
            ("a correction", correction, {"name": "Errors reach the caller", "type": "feedback"}, "created"),
            ("a decision", decision, role, "created"),
            ("the preference again", preference, known, "duplicate"),
            ("more about it", "Show the slowest ten of them.", known, "merged"),
            ("a note with a secret in it", secret, {"name": "Staging access", "type": "reference"}, "created"),
        ]
        records: list[dict[str, Any]] = []
        wrong: list[str] = []
        for label, content, more, expected in drafts:
            result: RecordResult = self.agent.ask("memory/record", {"content": content, **more}, RecordResult)
            if result.status != expected:
                wrong.append(f"{label}: {result.status}, not {expected}")
            self._told.append((result.memory.id, result.memory.content))
            redacted = [f"{redaction.kind} in {redaction.field}" for redaction in result.redactions]
            records.append(
                {
                    "label": label,
                    "given": content.replace(self._secret, "AKIA… (made up for this tour)"),
                    "status": result.status,
                    "stored": result.memory.content,
                    "kind": f"{result.memory.type}, {result.memory.scope}",
                    "redactions": redacted,
                    "similar": [near.name for near in result.similar],
                }
            )
        step.claim("New, known and continued memories are told apart.", not wrong, "; ".join(wrong) or None)
        last = records[-1]
        step.claim(
            "The secret was taken out, and the answer says so.",
            self._secret not in last["stored"] and bool(last["redactions"]),
            ", ".join(last["redactions"]),
        )
        step.data = {"symbol": symbol, "records": records}

    def _restart(self, step: TourStep) -> None:
        killed = self.agent.client.pid
        self.agent.client.kill()
        self.agent.launch("start to initialized")
        wanted = dict(self._told)
        listed: ListResult = self.agent.ask("memory/list", {}, ListResult)
        stored = {memory.id: memory.content for memory in listed.items}
        step.claim(
            "Everything that was acknowledged is there.", stored == wanted, f"{len(stored)} of {len(wanted)} memories"
        )
        leaked = [path.name for path in _files(self.store) if self._secret.encode() in path.read_bytes()]
        step.claim("The secret is in none of the files on disk.", not leaked, ", ".join(leaked) or None)
        again = self.agent.summary(self.folder, self.file, "file/summary, after the restart")
        step.claim("The file is still known.", again.fresh)
        step.data = {
            "killed": killed,
            "pid": self.agent.client.pid,
            "memories": len(stored),
            "bytes": sum(path.stat().st_size for path in _files(self.store)),
        }

    def _inject(self, step: TourStep) -> None:
        symbol = _main_symbol(self._outline) or Path(self.file).stem
        prompt = f"Rework {symbol} in {self.file}; the tests have to pass."
        params = {"prompt": prompt, "files": [self.file], "budgetTokens": 2000}
        for _ in range(_REPEATS):
            block: InjectResult = self.agent.ask("memory/inject", params, InjectResult)
        again: InjectResult = self.agent.ask("memory/inject", params, InjectResult)
        names = self.agent.names()
        shown = {names.get(item.id or "", item.path or "") for item in block.items}
        step.claim("The decision about the file is in it.", f"Role of {Path(self.file).name}" in shown)
        step.claim("The preference is in it.", "How tests are run" in shown)
        step.claim("It keeps to its budget.", 0 < block.tokens <= 2000, f"{block.tokens} of 2000 tokens")
        step.claim("Asked again, it is the same to the byte.", (again.text, again.etag) == (block.text, block.etag))
        query = "swallowed exceptions"
        for _ in range(_REPEATS):
            result: SearchResult = self.agent.ask("memory/search", {"query": query}, SearchResult)
        best = result.items[0].memory.name if result.items else None
        step.claim(f"A search for “{query}” finds the correction first.", best == "Errors reach the caller", best)
        step.data = {
            "prompt": prompt,
            "text": block.text,
            "tokens": block.tokens,
            "items": [
                {
                    "name": item.path or names.get(item.id or "", item.id),
                    "section": item.section,
                    "tokens": item.tokens,
                    "score": round(item.score, 3),
                    "reasons": item.reasons,
                }
                for item in block.items
            ],
            "omitted": [
                {"name": names.get(omission.id, omission.id), "reason": omission.reason} for omission in block.omitted
            ],
        }

    def _silence(self, step: TourStep) -> None:
        block: InjectResult = self.agent.ask("memory/inject", {"prompt": _UNRELATED}, InjectResult)
        offered = {item.id for item in block.items}
        strangers = [
            memory.name
            for memory in self.agent.memories()
            if memory.id in offered and memory.type not in _OUTSIDE and memory.category not in _OUTSIDE
        ]
        step.claim("Nothing but standing preferences is offered.", not strangers, ", ".join(strangers) or None)
        step.data = {"prompt": _UNRELATED, "text": block.text, "tokens": block.tokens, "items": len(block.items)}

    def _learn(self, step: TourStep) -> None:
        learn(step, self.agent)

    def _end(self, step: TourStep) -> None:
        status: StatusResult = self.agent.ask("sidecar/status", {}, StatusResult, about=None)
        code = self.agent.client.close()
        step.claim("The server ended when asked to.", code == 0, f"exit code {code}")
        step.data = {"tokensSaved": status.tokens_saved, "timings": msgspec.to_builtins(self.agent.measured())}

    def _copy_files(self) -> None:
        self.scratch.mkdir(parents=True)
        for candidate in self.found.candidates:
            target = self.scratch / candidate
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((self.folder / candidate).read_bytes())


def _main_symbol(outline: list[Symbol]) -> str | None:
    """Return the public symbol that takes up most of the file."""
    public = [symbol for symbol in outline if symbol.public]
    return max(public, key=lambda symbol: symbol.end_line - symbol.start_line).name if public else None


def _files(folder: Path) -> list[Path]:
    return [Path(place) / name for place, _, names in os.walk(folder) for name in names]
