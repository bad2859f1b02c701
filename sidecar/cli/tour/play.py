"""The session that the tour plays, and the claims that it checks against the server's answers."""

from __future__ import annotations

import secrets
import shutil
import string
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec

from protocol.client import Client, ServerGone, WireError
from protocol.files import DidInvalidateFiles, RepoMapParams, SummaryParams, SummaryResult, Symbol
from protocol.memories import InjectParams, RecordParams
from sidecar.cli.servers import server_command, server_environment

# A smaller file is read faster than its briefing. The tour shows one only if there is no larger file.
_MIN_FILE_BYTES = 4_000
_MAX_FILE_BYTES = 300_000
# From this many lines on, a briefing must be smaller than its file.
_MIN_LINES = 100
_NOTIFICATION_SECONDS = 30
_UNRELATED_PROMPT = "How long should sourdough rise overnight?"


class Claim(msgspec.Struct, rename="camel"):
    """A claim of a step. `held` says whether it is true, `detail` what was observed."""

    text: str
    held: bool
    detail: str | None = None


class TourStep(msgspec.Struct, rename="camel"):
    name: str
    title: str
    text: str = ""
    claims: list[Claim] = []

    def claim(self, text: str, holds: bool, detail: str | None = None) -> None:
        self.claims.append(Claim(text, holds, detail))

    @property
    def ok(self) -> bool:
        return all(claim.held for claim in self.claims)


class TourTranscript(msgspec.Struct, rename="camel"):
    """The whole tour. If a claim failed (`ok` is false), `log` is the end of the server's log."""

    version: str
    folder: str
    ok: bool
    seconds: float
    steps: list[TourStep]
    log: list[str] = []


class Tour(ExitStack):
    """A tour of `folder`. Its first step starts a server of it and of a scratch copy of the file to edit."""

    client: Client

    def __init__(self, folder: Path, temporary: Path, environ: Mapping[str, str]) -> None:
        super().__init__()
        self.folder = folder
        self.store = temporary / "store"
        self.scratch = temporary / "scratch" / (folder.name or "folder")
        self._environ = _tour_environment(environ, temporary)
        self._file = ""
        self._symbol = ""

    def steps(self) -> Iterator[TourStep]:
        """Yield each finished step. The step that loses the server is the last."""
        for name, title, play in (
            ("start", "A server of its own, over stdio", self._start),
            ("summary", "What an agent gets instead of a file", self._summarise),
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
        self.scratch.mkdir(parents=True)
        self.client = self.enter_context(Client(server_command(), self._environ, cwd=self.scratch))
        answer: Mapping[str, Any] = self.client.initialize([self.folder, self.scratch])
        step.claim("The server answered initialize.", bool(answer.get("capabilities")))
        self._file = self._choose_file()
        if not self._file:
            self.folder, self._file = self.scratch, Path(__file__).name
            shutil.copy(__file__, self.scratch)
            step.text = "The folder has no text file, so the tour brings one of its own.\n"
        step.text += f"memory-sidecar serve --stdio\nIts store is {self.store}."

    def _choose_file(self) -> str:
        """Return the most important file of a suitable size, else any file; "" for an empty project."""
        params = RepoMapParams(budget_tokens=2_000, workspace_uri=self.folder.as_uri())
        files = [path for path in self.client.workspace_repo_map(params).files if (self.folder / path).is_file()]
        files = files or sorted(path.name for path in self.folder.glob("[!.]*.*") if path.is_file())
        sizes = {path: (self.folder / path).stat().st_size for path in files}
        fitting = [path for path, size in sizes.items() if _MIN_FILE_BYTES <= size <= _MAX_FILE_BYTES]
        return next(iter([*fitting, *files]), "")

    def _summarise(self, step: TourStep) -> None:
        first, second = self._summary(self.folder), self._summary(self.folder)
        symbol = _main_symbol(first.outline)
        self._symbol = symbol.name if symbol is not None else Path(self._file).stem
        step.text = f"Instead of {first.path} an agent reads:\n\n{first.summary}"
        step.claim("The briefing is for the bytes on disk.", first.fresh and first.hash == second.hash)
        if first.lines > _MIN_LINES:
            counts = f"{first.tokens:,} of {first.file_tokens:,} tokens"
            step.claim("It is smaller than the file.", first.tokens < first.file_tokens, counts)
        names_symbols = not first.outline or any(symbol.name in first.summary for symbol in first.outline)
        step.claim("It names what the file defines.", names_symbols)

    def _edit(self, step: TourStep) -> None:
        path = self.scratch / self._file
        path.parent.mkdir(parents=True, exist_ok=True)
        original = (self.folder / self._file).read_bytes()
        path.write_bytes(original)
        before = self._summary(self.scratch)
        removed = _main_symbol(before.outline)
        lines = original.splitlines(keepends=True)
        rest = lines[: removed.start_line - 1] + lines[removed.end_line :] if removed is not None else lines[:-1]
        self.client.forget_notifications()
        path.write_bytes(b"".join(rest) or b"empty\n")
        milliseconds = self._wait_for_invalidation(path)
        took = f"after {milliseconds} ms" if milliseconds is not None else None
        step.claim("The client was notified that the file's briefing is outdated.", took is not None, took)
        after = self._summary(self.scratch)
        step.claim("The next briefing is of the new content.", after.hash != before.hash and after.fresh)
        removed_text = f"{removed.kind} {removed.name}" if removed is not None else "last line"
        step.text = (
            f"The {removed_text} was removed from a copy of {self._file}: {before.lines} lines, then {after.lines}."
        )
        if removed is not None:
            counts = [[symbol.name for symbol in result.outline].count(removed.name) for result in (before, after)]
            step.claim("It no longer lists what was removed.", counts[1] < counts[0])
        path.write_bytes(original)
        restored = self._summary(self.scratch).hash == before.hash
        step.claim("After the edit is undone, the briefing is of the original content again.", restored)

    def _record(self, step: TourStep) -> None:
        secret = "AKIA" + "".join(secrets.choice(string.ascii_uppercase + string.digits) for _ in range(16))
        decision = f"Decided: changes to `{self._symbol}` are made in `{self._file}`, not in its callers."
        uri, leak = self.folder.as_uri(), f"The staging bucket is opened with {secret} from the CI variables."
        content = "Run the tests with -q and stop at the first failure."
        preference = RecordParams(content=content, name="How tests are run", type="user", workspace_uri=uri)
        name = f"Role of {Path(self._file).name}"
        role = RecordParams(content=decision, name=name, category="decision", files=[self._file], workspace_uri=uri)
        access = RecordParams(content=leak, name="Staging access", type="reference", workspace_uri=uri)
        results = [self.client.memory_record(params) for params in (preference, role, preference, access)]
        step.text = "\n".join(f"{result.status}: {result.memory.content}" for result in results)
        statuses = ", ".join(result.status for result in results)
        known = statuses == "created, created, duplicate, created"
        step.claim("A memory that was recorded before is recognised as a duplicate.", known, statuses)
        files = (path for path in self.store.rglob("*") if path.is_file())
        leaked = [str(path) for path in files if secret.encode() in path.read_bytes()]
        removed = bool(results[-1].redactions) and not leaked
        step.claim("The secret was removed, and no file on disk contains it.", removed, ", ".join(leaked) or None)

    def _inject(self, step: TourStep) -> None:
        prompt = f"Rework {self._symbol} in {self._file}; the tests have to pass."
        inject, uri = self.client.memory_inject, self.folder.as_uri()
        params = InjectParams(prompt=prompt, files=[self._file], budget_tokens=2000, workspace_uri=uri)
        block, second = inject(params), inject(params)
        step.text = f"Task: {prompt}\n\n{block.text}"
        step.claim("The block contains the decision about the file.", "Decided: changes to" in block.text)
        step.claim("The block contains the preference.", "Run the tests with -q" in block.text)
        step.claim("The block stays within its budget.", 0 < block.tokens <= 2000, f"{block.tokens} of 2000 tokens")
        step.claim("A second request returns the same bytes.", (second.text, second.etag) == (block.text, block.etag))
        unrelated = inject(InjectParams(prompt=_UNRELATED_PROMPT, workspace_uri=uri))
        step.claim("An unrelated task is not given the decision.", "Decided: changes to" not in unrelated.text)
        code = self.client.close()
        step.claim("The server ended when asked to.", code == 0, f"exit code {code}")

    def _summary(self, folder: Path) -> SummaryResult:
        params = SummaryParams(path=self._file, session_id="tour", workspace_uri=folder.as_uri())
        return self.client.file_summary(params)

    def _wait_for_invalidation(self, path: Path) -> int | None:
        """Report a change as editors do; return the milliseconds until `file/didInvalidate`, or None."""
        began = time.perf_counter()
        changes = {"changes": [{"uri": path.as_uri(), "type": 2}]}
        self.client.notify("workspace/didChangeWatchedFiles", changes)

        def about_file(params: msgspec.Raw) -> bool:
            notification = msgspec.json.decode(params, type=DidInvalidateFiles)
            return any(entry.path == self._file for entry in notification.files)

        received = self.client.wait("file/didInvalidate", about_file, timeout=_NOTIFICATION_SECONDS)
        return round((received.at - began) * 1000) if received is not None else None


def _main_symbol(outline: list[Symbol]) -> Symbol | None:
    """Return the longest public symbol."""
    public = [symbol for symbol in outline if symbol.public]
    return max(public, key=lambda symbol: symbol.end_line - symbol.start_line, default=None)


def _tour_environment(environ: Mapping[str, str], temporary: Path) -> dict[str, str]:
    """Return the user's environment with the tour's settings instead of the user's.

    The workspace's id is set, so that the tour writes no id into the repository, and so that the folder and its scratch
    copy share a memory.
    """
    inherited = {name: value for name, value in environ.items() if not name.startswith("MEMORY_SIDECAR_")}
    settings = {
        "STORE_FOLDER": str(temporary / "store"),
        "LOG_FILE": str(temporary / "sidecar.log"),
        "WORKSPACE_ID": f"tour-{temporary.name}",
        "MEMORY_ENABLED": "true",
        "MEMORY_FILE_MODE": "off",
        "FILES_WARM_UP": "false",
        "WATCH_MODE": "off",
    }
    own = {f"MEMORY_SIDECAR_{name}": value for name, value in settings.items()}
    return server_environment({**inherited, "XDG_RUNTIME_DIR": str(temporary), **own})
