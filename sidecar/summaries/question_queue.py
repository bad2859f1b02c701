"""Ask a chat model about files and sessions in the background: take questions from the store, and store the answers.

Nothing is sent unless the user has configured a model. A question holds either a file's text, if the file is unchanged
and not ignored, or a session's messages, but never a secret. All sidecars that share the store pay for a question once,
and share one daily token limit.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol

from sidecar.checkout.content import decode
from sidecar.checkout.tree import Tree
from sidecar.files import prompts
from sidecar.files.prompts import Question
from sidecar.models.chat import ModelFailed
from sidecar.models.chat_models import ChatModelChoice
from sidecar.runtime.clock import Clock
from sidecar.runtime.digests import blake2b
from sidecar.runtime.errors import FileUnavailable, OutsideWorkspace, SidecarError, StoreUnavailable
from sidecar.runtime.priority import Priority
from sidecar.store.records import AnswerRecord, JobKind, JobRecord
from sidecar.store.spending import Spending
from sidecar.summaries.subjects import FileAndSessionSubjects
from sidecar.text.secrets import redact
from sidecar.text.tokens import estimate

log = logging.getLogger(__name__)

# Milliseconds until a failed question is sent again; doubled each time, up to `MAX_WAIT_MS`.
FIRST_WAIT_MS = 30_000
MAX_WAIT_MS = 6 * 3_600_000
# A question is dropped after this many attempts.
MAX_ATTEMPTS = 8
# Milliseconds until a question is sent again whose failure lasts until a setting changes.
_LASTING_WAIT_MS = 3_600_000
_DAY_MS = 86_400_000
# Seconds between checks for a new day, and for questions that other processes put back.
_QUESTIONS_POLL_SECONDS = 20.0
# Reading, redacting and writing may take this long in addition to the request itself.
_GRACE_MS = 60_000
# The longest answer of a command or a client, which are slower than an endpoint.
_MAX_ANSWER_MS = 180_000
# Seconds between two checks of the questions that a process waits for before it ends.
_WATCH_SECONDS = 0.1

QueueState = Literal["off", "idle", "working", "limit", "failed"]
SHARED_KINDS: Final = ("summary", "long", "aggregate")


@dataclass(frozen=True)
class QueueStatus:
    """The model's state."""

    state: QueueState
    name: str | None = None
    waiting: int = 0
    detail: str | None = None  # what is wrong and what to do
    sessions: Literal["off", "endpoint", "command", "client"] = "off"  # which model reads sessions
    sessions_today: int = 0


class QuestionQueue:
    """The questions of one checkout. Thread-safe; no method waits for a model.

    `priority` lets requests go first while a question is built and its answer stored.
    """

    def __init__(
        self,
        models: ChatModelChoice,
        subjects: FileAndSessionSubjects,
        *,
        spending: Callable[[], Spending],
        tree: Tree,
        clock: Clock,
        priority: Priority,
        shared: SharedAnswers | None = None,
    ) -> None:
        self._models = models
        self._settings = models.settings
        self._subjects = subjects
        self._store, self._checkout = subjects.store, subjects.checkout
        self._spending = spending
        self._tree = tree
        self._clock = clock
        self._shared = shared
        self._priority = priority
        self._owner = f"{os.getpid()}-{id(self):x}-{time.monotonic_ns():x}"
        self._wake = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._busy = 0
        self._closed = threading.Event()
        self._problem: tuple[QueueState, str] | None = None

    @property
    def configured(self) -> bool:
        return self._models.configured

    @property
    def takes_facets(self) -> bool:
        return self.configured and self._settings.facets and not self._settings.long

    @property
    def reads_sessions(self) -> bool:
        return self._models.reads_sessions

    def start(self) -> None:
        if (self.configured or self.reads_sessions) and (
            self._models.reads_by_client or self._store.count_jobs(self._checkout)
        ):
            self._ensure_worker()

    def enqueue_session(self, session_id: str, text: str) -> None:
        """Queue a session's messages, in the format of `encode_turns`. Raises `StoreUnavailable`."""
        hash = blake2b(text.encode("utf-8", "replace"), digest_size=16).hexdigest()
        self._enqueue("session", session_id, hash, text=text, session_id=session_id)

    def enqueue_file(self, path: str, hash: str) -> None:
        """Queue a file that an agent has read for a summary, unless it has one. Raises `StoreUnavailable`."""
        if self.configured and self._settings.summaries:
            self._enqueue("long" if self._settings.long else "summary", path, hash)

    def enqueue_reasoning(self, path: str, hash: str, reasoning: str, session_id: str | None) -> None:
        """Queue an agent's reasoning about a file if a model should extract a fact from it."""
        if self.takes_facets:
            text, _ = redact(reasoning[: prompts.MAX_REASONING_CHARS])
            self._enqueue("facet", path, hash, basis=prompts.basis(text, []), text=text, session_id=session_id)

    def enqueue_aggregate(self, path: str, hash: str, facets: list[str]) -> None:
        """Queue the description and facets of a content, to be merged into one text, unless that text exists."""
        if not self.configured or not self._settings.aggregates or self._settings.long or not facets:
            return
        summary = self._store.answer(hash, "summary")
        self._enqueue("aggregate", path, hash, basis=prompts.basis(summary.text if summary is not None else "", facets))

    def enqueue_aggregate_of(self, path: str) -> None:
        """Queue the aggregate of the content that a path has now. Raises `StoreUnavailable`."""
        if self.configured and (content := self._subjects.content_at(path)) is not None:
            self.enqueue_aggregate(*content)

    def status(self) -> QueueStatus:
        """Return the state; never raises."""
        if not self.configured and not self.reads_sessions:
            return QueueStatus("off")
        reader = self._settings.sessions if self.reads_sessions else "off"
        name = self._models.name
        try:
            waiting = self._store.count_jobs(self._checkout)
            sessions_read = self._spending().sessions_read(self._clock()) if reader != "off" else 0
            failed = [job.error for job in self._store.jobs_of(self._checkout, "session") if job.error]
        except SidecarError as error:
            return QueueStatus("failed", name, 0, error.message, reader)
        with self._wake:
            state, detail = self._problem or ("working" if self._busy or waiting else "idle", None)
        if detail is None and failed:
            state, detail = "failed", failed[-1]  # reported by another process
        elif detail is None and self._models.awaits_client:
            detail = "Sessions wait for a client that offers its model (MCP sampling, which LSP does not have)."
        return QueueStatus(state, name, waiting, detail, reader, sessions_read)

    def wait_for_sessions(self, until: float) -> bool:
        """Wait until `until` (`time.monotonic`) for answers about sessions; return whether none is waiting any more."""
        while self.reads_sessions and not self._closed.is_set():
            if self._models.awaits_client:
                return False
            now = self._clock()
            jobs = self._store.jobs_of(self._checkout, "session")
            if not any(job.taken_by is not None or job.due <= now for job in jobs):
                return not jobs
            if time.monotonic() >= until:
                return False
            time.sleep(_WATCH_SECONDS)
        return not self.reads_sessions

    def close(self) -> None:
        """Stop sending questions. A question in flight stays in the store for the next start."""
        with self._wake:
            self._closed.set()
            threads, self._threads = self._threads, []
            self._wake.notify_all()
        self._models.close()
        for thread in threads:
            thread.join(0.1 / len(threads))

    def _enqueue(self, kind: JobKind, path: str, hash: str, **more: Any) -> None:
        now = self._clock()
        self._store.queue(JobRecord(kind=kind, hash=hash, path=path, checkout=self._checkout, asked_at=now, **more))
        self._ensure_worker()

    def _ensure_worker(self) -> None:
        with self._wake:
            self._threads = [thread for thread in self._threads if thread.is_alive()]
            if not self._closed.is_set() and len(self._threads) < self._settings.concurrency:
                thread = threading.Thread(target=self._serve_all, name="models", daemon=True)
                self._threads.append(thread)
                thread.start()
            self._wake.notify_all()

    def _serve_all(self) -> None:
        """Work until no question of this checkout is left."""
        while not self._closed.is_set():
            self._priority.give_way()
            try:
                now = self._clock()
                lease = max(int(self._settings.timeout_seconds * 1000) * 3, _MAX_ANSWER_MS) + _GRACE_MS
                without = "session" if self._models.awaits_client else None
                job = self._store.reserve_job(self._checkout, self._owner, now, now + lease, excluded_kind=without)
                if job is not None:
                    self._serve(job)
                    continue
                if not self._models.reads_by_client and not self._store.count_jobs(self._checkout):
                    return
            except StoreUnavailable as error:
                if self._closed.is_set():
                    return
                log.warning("The questions to a model cannot be read: %s", error.message)
            with self._wake:
                if not self._closed.is_set():
                    self._wake.wait(_QUESTIONS_POLL_SECONDS)

    def _serve(self, job: JobRecord) -> None:
        with self._wake:
            self._busy += 1
        try:
            self._answer(job)
        except ModelFailed as error:
            self._handle_failure(job, error)
        except Exception:
            log.exception("A question about %s failed.", job.path)
            self._store.put_back_job(job, self._clock() + _wait_ms(job.attempts), "an internal error")
        finally:
            with self._wake:
                self._busy -= 1

    def _answer(self, job: JobRecord) -> None:
        with self._priority.turn():
            question = self._question(job)
        if question is None:
            self._store.drop_job(job)
            return
        recipe = recipe_of(self._settings.name, question)
        shared = self._shared if job.kind in SHARED_KINDS else None
        shared_answer = shared.get(job.hash, recipe) if shared is not None else None
        if shared_answer is not None:
            self._store_answer(job, shared_answer)
            return
        now, cost = self._clock(), estimate(question.instructions + question.text) + question.most_tokens
        spending = self._spending()
        if not spending.reserve(cost, self._settings.daily_tokens, now):
            self._postpone(job, now)
            return
        used = cost
        self._priority.give_way()
        try:
            answer = self._models.model(job.kind).ask(*question)
            used = answer.tokens if answer.tokens is not None else cost
        except ModelFailed as error:
            used = 0 if error.lasting else cost  # a refusal costs nothing; for other failures the cost is unknown
            raise
        finally:
            spending.charge(cost, used, now)
        with self._wake:
            self._problem = None
        with self._priority.turn():
            text = self._store_answer(job, answer.text)
        if shared is not None and text is not None:
            shared.put(job.hash, recipe, job.kind, text)

    def _store_answer(self, job: JobRecord, answered: str) -> str | None:
        """Store the valid part of an answer without its secrets, finish the job, and return that part."""
        if job.kind == "session":
            self._subjects.apply_answer(job, answered)
            self._spending().session_was_read(self._clock())
            self._store.drop_job(job)
            return None
        text = prompts.clean_answer(job.kind, answered)
        if text is None:
            self._store.drop_job(job)
            return None
        text, _ = redact(text)  # a model may produce a secret that it was not given
        if job.kind != "facet":
            name, now = self._settings.name or "", self._clock()
            self._store.put_answer(
                AnswerRecord(hash=job.hash, kind=job.kind, text=text, model=name, at=now, basis=job.basis)
            )
        if (changed := self._subjects.apply_answer(job, text)) is not None:
            self.enqueue_aggregate(*changed)
        if job.kind == "facet":
            self._store.drop_job(job)
        return text

    def _question(self, job: JobRecord) -> prompts.Question | None:
        if job.kind == "session":
            return self._subjects.session_question(job) if self.reads_sessions else None
        try:
            content_read = self._tree.read(job.path)
        except (FileUnavailable, OutsideWorkspace):
            return None
        if content_read.hash != job.hash:
            return None
        if job.kind == "aggregate":
            facets = self._subjects.facet_texts(job.hash)
            summary = self._store.answer(job.hash, "summary")
            description = summary.text if summary is not None else self._subjects.description(job.path, job.hash)
            clean, _ = redact(description)
            return prompts.facets_question(job.path, clean, facets) if facets else None
        content, _ = redact(decode(content_read.data), self._priority.give_way)
        if job.kind == "facet":
            return prompts.reasoning_question(job.path, content, self._subjects.facet_texts(job.hash), job.text)
        return prompts.content_question("long" if job.kind == "long" else "summary", job.path, content)

    def _handle_failure(self, job: JobRecord, error: ModelFailed) -> None:
        if self._closed.is_set():
            self._store.put_back_job(job, self._clock(), None)
            return
        log.info("A question about %s was not answered: %s", job.path, error.message)
        with self._wake:
            self._problem = ("failed", error.message)
        if error.final or job.attempts >= MAX_ATTEMPTS:
            self._store.drop_job(job)
            return
        wait = _LASTING_WAIT_MS if error.lasting else _wait_ms(job.attempts)
        if error.after is not None:
            wait = max(wait, int(error.after * 1000))
        self._store.put_back_job(job, self._clock() + wait, error.message)

    def _postpone(self, job: JobRecord, now: int) -> None:
        detail = (
            f"The daily limit of {self._settings.daily_tokens:,} tokens (models.dailyTokens) is used up; questions are "
            "sent again tomorrow (UTC)."
        )
        with self._wake:
            self._problem = ("limit", detail)
        self._store.put_back_job(job, (now // _DAY_MS + 1) * _DAY_MS, detail)


def _wait_ms(attempts: int) -> int:
    return min(MAX_WAIT_MS, FIRST_WAIT_MS << min(20, max(0, attempts - 1)))


class SharedAnswers(Protocol):
    """Answers shared between machines. A worker's thread calls it; it never raises."""

    def get(self, hash: str, recipe: str) -> str | None:
        """Return the stored answer about a content to the question with this recipe."""

    def put(self, hash: str, recipe: str, kind: str, text: str) -> None: ...


def recipe_of(model: str | None, question: Question) -> str:
    """Return a digest of what an answer depends on: the model and the question."""
    parts = (model or "", question.instructions, question.text)
    return blake2b("\0".join(parts).encode("utf-8", "replace"), digest_size=16).hexdigest()
