"""`session/import`: learn from the sessions that agents kept."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from protocol import transcripts as api
from sidecar.engine.agent_sessions import AgentSessions
from sidecar.engine.lesson_storer import LessonStorer
from sidecar.engine.open_workspace import OpenWorkspace
from sidecar.learning.lesson import Lesson
from sidecar.learning.session_event import SessionEvent
from sidecar.memories.recording import checks
from sidecar.runtime.cancellation import Context
from sidecar.runtime.clock import Clock
from sidecar.runtime.errors import InvalidField, MemoryDisabled, StoreUnavailable
from sidecar.store.records import TranscriptRecord
from sidecar.text.secrets import redact
from sidecar.transcripts.copies import split_prints, without_copies
from sidecar.transcripts.discovery import Checkouts, discover
from sidecar.transcripts.event import SessionTranscript

MAX_LESSONS_SHOWN = 200
READ_BEFORE, LIVE, EARLIER = "read before", "learned from while they ran", "began before the time asked for"


class TranscriptsHandler:
    def __init__(self, clock: Clock, agent_sessions: AgentSessions, lessons: LessonStorer) -> None:
        self._clock, self._agent_sessions, self._lessons = clock, agent_sessions, lessons

    def session_import(
        self, params: api.ImportSessionsParams, workspace: OpenWorkspace, context: Context
    ) -> api.ImportSessionsResult:
        if not workspace.settings.memory.learns:
            raise MemoryDisabled("Learning is switched off.", hint="Switch it on to learn from sessions.")
        context.step(0, 0, "looking for sessions")
        checkouts = Checkouts(workspace.folder, workspace.place.data_home)
        sessions = discover(checkouts, Path.home(), os.environ, params.agents or ())
        reading = _Reading(workspace, checkouts, self._agent_sessions, self._lessons, dry_run=params.dry_run)
        for number, transcript in enumerate(sessions.here):
            context.step(number, len(sessions.here), "reading sessions")
            reading.read(transcript, params.since or 0, self._clock())
        skipped = [api.SessionsSkipped(agent=problem.agent, reason=problem.reason) for problem in sessions.problems]
        elsewhere = sessions.elsewhere.most_common() if params.elsewhere else []
        return reading.result(
            skipped, [api.SessionsElsewhere(folder=folder, sessions=count) for folder, count in elsewhere]
        )


class _Read(NamedTuple):
    transcript: SessionTranscript
    messages: int


class _Reading:
    """One pass over the sessions of a workspace."""

    def __init__(
        self,
        workspace: OpenWorkspace,
        checkouts: Checkouts,
        agents: AgentSessions,
        lessons: LessonStorer,
        *,
        dry_run: bool,
    ) -> None:
        self._workspace = workspace
        self._store = workspace.memory_store
        self._agent_sessions, self._lesson_storer = agents, lessons
        self._dry_run = dry_run
        self._checkouts = checkouts
        self._before = {record.id: record for record in workspace.memory_store.transcripts()}
        self._live = {session.id for session in workspace.memory_store.sessions() if session.heartbeat_at is not None}
        self._known = {fingerprint for record in self._before.values() for fingerprint in split_prints(record.said)}
        self._counts = workspace.book.searcher.counts
        self._memories = sum(self._counts().values())
        self._read: list[_Read] = []
        self._lessons: list[Lesson] = []
        self._skipped: Counter[tuple[str, str]] = Counter()

    def read(self, transcript: SessionTranscript, since: int, now: int) -> None:
        record = self._before.get(transcript.session_id)
        if record is not None and record.stamp == transcript.stamp:
            reason = READ_BEFORE
        elif record is None and transcript.session_id in self._live:
            reason = LIVE
        elif transcript.started_at < since:
            reason = EARLIER
        else:
            reason = self._learn(transcript, record, now)
        if reason:
            self._skipped[transcript.agent, reason] += 1

    def _learn(self, transcript: SessionTranscript, record: TranscriptRecord | None, now: int) -> str:
        """Learn from a session; return why the session could not be read, or an empty string."""
        earlier_prints = split_prints(record.said) if record is not None else set[bytes]()
        fingerprints = set[bytes]()
        done, count, messages = record.events if record is not None else 0, 0, 0
        begun = min(transcript.started_at or now, now)

        def events() -> Iterator[tuple[SessionEvent, int]]:
            nonlocal count, messages

            def counted() -> Iterator[SessionEvent]:
                nonlocal count
                for event in transcript.events():
                    count += 1
                    yield event

            for number, event in without_copies(counted(), self._known - earlier_prints, fingerprints):
                if number >= done:
                    messages += event.kind == "user"
                    yield event, min(event.at or begun, now)

        try:
            session_id = checks.check_session(transcript.session_id) or ""
            root = self._checkouts.root(transcript.folder)
            roots = [transcript.folder] if root is None else [str(root)]
            session = self._agent_sessions.new_session(self._workspace, session_id, roots)
            lessons: list[Lesson] = []
            for event, at in events():
                lessons += session.learn_from(event, at)
                session.unreported_reads.clear()  # files read then say nothing about today's
            session.end()
        except (OSError, InvalidField) as error:
            return error.message if isinstance(error, InvalidField) else str(error)
        self._known |= fingerprints
        self._lessons += lessons
        self._read.append(_Read(transcript, messages))
        if not self._dry_run:
            self._lesson_storer.add(self._workspace.folder, lessons)
            if not self._lesson_storer.store_lessons_of_folder(self._workspace.folder):
                raise StoreUnavailable("What was learned cannot be stored now.", hint="Run it again.")
            self._store.note_transcript(
                TranscriptRecord(
                    id=transcript.session_id,
                    stamp=transcript.stamp,
                    events=max(count, done),
                    said=b"".join(sorted(fingerprints | earlier_prints)),
                )
            )
        return ""

    def result(
        self, skipped: list[api.SessionsSkipped], elsewhere: list[api.SessionsElsewhere]
    ) -> api.ImportSessionsResult:
        sessions, messages = Counter[str](), Counter[str]()
        for transcript, messages_read in self._read:
            sessions[transcript.agent] += 1
            messages[transcript.agent] += messages_read
        times = [read.transcript.started_at for read in self._read if read.transcript.started_at]
        counted = [
            api.SessionsSkipped(agent=agent, reason=reason, count=count)
            for (agent, reason), count in self._skipped.items()
        ]
        lessons = self._lessons[:MAX_LESSONS_SHOWN] if self._dry_run else []
        return api.ImportSessionsResult(
            dry_run=self._dry_run,
            sessions=len(self._read),
            messages=sum(messages.values()),
            first=min(times, default=None),
            last=max(times, default=None),
            agents=[
                api.SessionsRead(agent=agent, sessions=count, messages=messages[agent])
                for agent, count in sessions.items()
            ],
            learned=dict(Counter(lesson.rule for lesson in self._lessons).most_common()),
            memories=sum(self._counts().values()) - self._memories,
            skipped=counted + skipped,
            items=[
                api.LearnedFromSession(
                    rule=lesson.rule, content=redact(lesson.content)[0], session_id=lesson.session_id, at=lesson.at
                )
                for lesson in lessons
            ],
            elsewhere=elsewhere,
        )
