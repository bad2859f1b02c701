"""Events taken by a real engine over real stores: what is learned, when it is stored, and what never is."""

from __future__ import annotations

import threading
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from protocol.memories import Memory
from protocol.notifications import DidChangeMemories
from protocol.sessions import Session
from sidecar.engine.engine import Engine
from sidecar.memories.drafts import Draft
from sidecar.memories.recording.recorder import Recorder
from sidecar.memories.results import RecordedMemory
from sidecar.runtime.errors import InvalidField, SidecarError, StoreUnavailable
from sidecar.settings import Settings
from sidecar.settings.model import FileSettings, MemorySettings, StoreSettings, WatchSettings
from tests.client.calling import MethodCaller
from tests.engine.conftest import MakeEngine, Told, at_rest


def settings(store: Path, **memory: object) -> Settings:
    return Settings(
        store=StoreSettings(folder=store),
        files=FileSettings(warm_up=False),
        watch=WatchSettings(mode="off"),
        memory=replace(MemorySettings(learn_buffer_seconds=3_600.0), **memory),
    )


@pytest.fixture
def slow(tmp_path: Path) -> Settings:
    """Prevent lessons from being stored by the passage of time."""
    return settings(tmp_path / "store")


class EventSender:
    """Sends the events of one session."""

    def __init__(self, engine: Engine, session: str = "s1", **more: object) -> None:
        self.engine, self.session, self.more = engine, session, more

    @property
    def call(self) -> MethodCaller:
        return MethodCaller(self.engine, **self.more)

    def event(self, kind: str, **params: object) -> None:
        assert self.call(f"event/{kind}", sessionId=self.session, **params) is None

    def run(self, command: str, output: str = "", exit: int | None = 0) -> None:
        self.event("toolResult", tool="bash", input={"command": command}, output=output, exitCode=exit)

    def edit(self, *paths: str) -> None:
        for path in paths:
            self.event("toolCall", tool="edit", input={"filePath": path})

    def say(self, text: str) -> None:
        self.event("userMessage", text=text)

    def teach(self, *targets: str) -> None:
        """Say things that become memories at once, each a different one."""
        for target in targets:
            self.say(f"From now on always run `make {target}` before you commit.")

    def end(self, **params: object) -> Session:
        return self.call("session/end", sessionId=self.session, **params)

    def memories(self, **filters: object) -> list[Memory]:
        return list(self.call("memory/list", limit=200, **filters).items)


def texts(memories: list[Memory]) -> list[str]:
    return sorted(memory.content for memory in memories)


def test_each_rule_makes_what_the_page_says(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)
    for session in ("s1", "s2", "s3"):
        agent = EventSender(engine, session)
        for _ in range(2):
            agent.run("cd app && uv run pytest -q | tail -3", "1 passed")
        agent.end()
    agent.run("pytest", "E   ModuleNotFoundError: No module named 'app'", 1)
    agent.run("PYTHONPATH=src pytest", "1 passed")
    agent.say("Please always use pnpm rather than npm here.")
    agent.event("reasoning", text="We decided to keep the cache in Redis because it must survive restarts.")
    agent.event("compaction", summary="## Memory Candidates\n- **Port** (reference, personal): the API runs on 4000\n")
    memories = {memory.source: memory for memory in agent.memories()}
    kinds = {source.partition(":")[2]: (m.type, m.scope, m.category) for source, m in memories.items()}
    assert kinds == {
        "repeated-command": ("project", "project", "procedure"),
        "error-fix": ("feedback", "project", None),
        "rule": ("feedback", "project", None),
    }
    assert "PYTHONPATH=src pytest" in memories["extractor:error-fix"].content
    assert memories["extractor:repeated-command"].content == (
        "`uv run pytest -q` is a frequently used command of this project in `app`."
    )
    waiting = {each.rule: each for each in agent.call("memory/candidates").items}
    assert {rule: (each.type, each.scope) for rule, each in waiting.items()} == {
        "compaction": ("reference", "personal")
    }
    assert waiting["compaction"].name == "Port"
    assert not any(str(repository) in memory.content for memory in memories.values())


@pytest.mark.parametrize("method", ["memory/search", "memory/list", "memory/inject", "memory/get"])
def test_reading_memories_stores_pending_lessons_first(
    make_engine: MakeEngine, repository: Path, slow: Settings, told: Told, method: str
) -> None:
    agent = EventSender(make_engine(repository, settings=slow))
    kept = agent.call("memory/record", content="The port is 4000.").memory.id
    told.messages.clear()
    agent.say("Remember: the Docker image is built by make image.")
    assert not told.messages
    params: dict[str, dict[str, object]] = {
        "memory/search": {"query": "Docker image"},
        "memory/list": {},
        "memory/inject": {"prompt": "how is the Docker image configured?"},
        "memory/get": {"id": kept},
    }
    answer = agent.call(method, **params[method])
    assert {name for name, _ in told.messages} == {"memory/didChange"}
    assert told.of(DidChangeMemories)[0].changes[0].change == "created"
    if method != "memory/get":
        assert "make image" in repr(answer)


def test_pending_lessons_are_stored_a_moment_later(
    make_engine: MakeEngine, repository: Path, tmp_path: Path, told: Told
) -> None:
    agent = EventSender(make_engine(repository, settings=settings(tmp_path / "store", learn_buffer_seconds=0.05)))
    agent.teach("check")
    told.wait(DidChangeMemories)


@pytest.mark.parametrize("off", [{"enabled": False}, {"learn": "off"}])
def test_switched_off_nothing_is_kept_anywhere(
    make_engine: MakeEngine, repository: Path, tmp_path: Path, off: dict[str, bool]
) -> None:
    engine = make_engine(repository, settings=settings(tmp_path / "store", **off))
    agent = EventSender(engine)
    agent.say("Always use pnpm rather than npm.")
    for _ in range(3):
        agent.run("pytest")
    assert engine.lessons.pending() == 0
    assert not engine.agent_sessions.sessions
    engine.close()
    again = EventSender(make_engine(repository, settings=settings(tmp_path / "store")))
    assert not again.memories()


def test_pending_lessons_are_dropped_when_learning_is_switched_off(
    make_engine: MakeEngine, repository: Path, tmp_path: Path
) -> None:
    engine = make_engine(repository, settings=settings(tmp_path / "store"))
    agent = EventSender(engine)
    agent.teach("check")
    assert engine.lessons.pending() == 1
    engine.lifecycle.reconfigure(settings(tmp_path / "store", learn="off"))
    assert engine.lessons.pending() == 0
    assert not engine.agent_sessions.sessions
    assert not agent.memories()


def test_the_same_lesson_in_two_sessions_is_one_memory(
    make_engine: MakeEngine, repository: Path, slow: Settings
) -> None:
    engine = make_engine(repository, settings=slow)
    for id in ("a", "b"):
        agent = EventSender(engine, id)
        agent.run("npm run build", "Error: error:0308010C:digital envelope routines::unsupported", 1)
        agent.run("NODE_OPTIONS=--openssl-legacy-provider npm run build", "built")
        agent.teach("check")
        agent.end()
    assert len(agent.memories()) == 2


def test_sessions_do_not_leak_into_each_other(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)
    one, two = EventSender(engine, "one"), EventSender(engine, "two")
    one.run("pytest", "E   ValueError: bad", 1)
    two.edit("a.py")
    two.run("pytest")
    for agent in (one, two, one, two):
        agent.run("npm test")
    one.edit("a.py", "b.py")
    two.edit("c.py")
    two.end()
    assert not two.memories()


def test_more_sessions_than_are_held_lose_nothing(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)
    for number in range(110):
        agent = EventSender(engine, f"s{number}")
        agent.run(f"make part{number}", f"error: part {number} needs PART", 2)
        agent.teach(f"part{number}")
    assert len(engine.agent_sessions.sessions) == 100
    assert engine.lessons.pending() == 110 + 10, "10 sessions were ended, and what was said in them waits too"
    engine.close()
    again = EventSender(make_engine(repository, settings=slow))
    assert len(again.memories()) == 110


def test_closing_a_workspace_or_the_engine_stores_what_waits(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], slow: Settings
) -> None:
    first, second = make_repository("first"), make_repository("second")
    engine = make_engine(first, second, settings=slow)
    EventSender(engine, "a", workspaceUri=first.as_uri()).teach("check")
    EventSender(engine, "b", workspaceUri=second.as_uri()).teach("image")
    engine.lifecycle.close_workspace(first.as_uri())
    engine.close()
    again = make_engine(first, second, settings=slow)
    assert "make check" in texts(EventSender(again, workspaceUri=first.as_uri()).memories())[0]
    assert "make image" in texts(EventSender(again, workspaceUri=second.as_uri()).memories())[0]


def test_a_session_is_found_again_when_several_workspaces_are_open(
    make_engine: MakeEngine, make_repository: Callable[[str], Path], slow: Settings
) -> None:
    first, second = make_repository("first"), make_repository("second")
    engine = make_engine(first, second, settings=slow)
    agent = EventSender(engine)
    with pytest.raises(SidecarError, match="Several workspaces"):
        agent.teach("check")  # nothing names a workspace
    agent.edit(f"{second}/Dockerfile")  # its path names one
    agent.teach("check")  # ... and now the session does
    agent.end()
    assert len(EventSender(engine, workspaceUri=second.as_uri()).memories()) == 1
    assert not EventSender(engine, workspaceUri=first.as_uri()).memories()


def test_a_store_that_cannot_be_written_keeps_the_lessons_waiting(
    make_engine: MakeEngine, repository: Path, slow: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository, settings=slow)
    agent = EventSender(engine)
    real = Recorder.learn
    refusals: list[Draft] = []

    def learn(self: Recorder, draft: Draft) -> RecordedMemory | None:
        if len(refusals) < 3:
            refusals.append(draft)
            raise StoreUnavailable("busy")
        return real(self, draft)

    monkeypatch.setattr(Recorder, "learn", learn)
    agent.teach("check", "image")
    for _ in range(3):
        assert not agent.memories()
        assert engine.lessons.pending() == 2
    assert len(agent.memories()) == 2
    assert engine.lessons.pending() == 0


def test_learner_retries_by_itself(
    make_engine: MakeEngine, repository: Path, tmp_path: Path, told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository, settings=settings(tmp_path / "store", learn_buffer_seconds=0.01))
    real = Recorder.learn
    refusals: list[Draft] = []

    def learn(self: Recorder, draft: Draft) -> RecordedMemory | None:
        if not refusals:
            refusals.append(draft)
            raise StoreUnavailable("busy")
        return real(self, draft)

    monkeypatch.setattr(Recorder, "learn", learn)
    EventSender(engine).teach("check")
    told.wait(DidChangeMemories)
    assert refusals


def test_lessons_that_cannot_be_stored_are_bounded(
    make_engine: MakeEngine, repository: Path, slow: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository, settings=slow)
    monkeypatch.setattr("sidecar.engine.lesson_storer.MAX_LESSONS", 20)

    def learn(self: Recorder, draft: Draft) -> RecordedMemory | None:
        raise StoreUnavailable("gone")

    monkeypatch.setattr(Recorder, "learn", learn)
    agent = EventSender(engine)
    for number in range(50):
        agent.teach(f"part{number}")
    assert engine.lessons.pending() == 20
    assert not agent.memories()
    assert engine.lessons.pending() == 20


def test_a_bad_lesson_neither_fails_a_request_nor_holds_up_the_others(
    make_engine: MakeEngine, repository: Path, slow: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = make_engine(repository, settings=slow)
    agent = EventSender(engine)
    real = Recorder.learn

    def learn(self: Recorder, draft: Draft) -> RecordedMemory | None:
        if "make check" in draft.content:
            raise RuntimeError("a defect")
        if "make image" in draft.content:
            raise InvalidField("too long")
        return real(self, draft)

    monkeypatch.setattr(Recorder, "learn", learn)
    agent.teach("check", "image", "docs")
    assert len(agent.memories()) == 1


def test_forgotten_lesson_is_not_learned_again(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)
    EventSender(engine, "a").teach("check")
    (memory,) = EventSender(engine).memories()
    EventSender(engine).call("memory/delete", id=memory.id)
    EventSender(engine, "b").teach("check")
    assert not EventSender(engine).memories()


def test_an_injected_block_is_never_learned(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)
    agent = EventSender(engine)
    for content in (
        "Always use pnpm rather than npm.",
        "We decided to keep the cache in Redis because it must survive restarts.",
        "It turns out that the tests need a running database.",
        "## Memory Candidates\n- **Port** (project): the API runs on 4000",
    ):
        agent.call("memory/record", content=content)
    before = texts(agent.memories())
    for round in range(10):
        for form in ("markdown", "xml"):
            block = agent.call("memory/inject", format=form, sessionId=f"r{round}").text
            assert "Redis" in block
            again = EventSender(engine, f"r{round}")
            escaped = msgspec.json.encode(block).decode()
            for text in (block, f"Here is what I know:\n{block}", block[:-40], escaped, block.replace("<", "&lt;")):
                again.say(text)
                again.event("reasoning", text=text)
                again.event("compaction", summary=text)
                again.run(f"tool{round}{form} x{len(text)}", text, 1)
                again.event("toolResult", tool="mcp__memory-sidecar__inject", output=text, exitCode=1)
            again.event(
                "reasoning", text="As noted, we decided to keep the cache in Redis because it must survive restarts."
            )
            again.run("memory-sidecar inject", "error: " + text, 1)
            again.end()
    assert texts(agent.memories()) == before


def test_secrets_in_what_was_learned_are_redacted(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    agent = EventSender(make_engine(repository, settings=slow))
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    agent.run("npm publish", f"error: bad credentials {key} for registry", 1)
    agent.run(f"NPM_TOKEN={key} npm publish", "published")
    agent.say(f"From now on always publish with the token {key} please.")
    found = [*texts(agent.memories()), repr(agent.call("memory/candidates"))]
    assert "publish" in repr(found)
    assert key not in repr(found)


def test_a_session_keeps_little_whatever_is_sent(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    agent = EventSender(make_engine(repository, settings=slow))
    big = "line of output that says an error: x\n" * 6_000

    def burst(start: int) -> None:
        for number in range(start, start + 30):
            agent.event(
                "toolCall", tool="bash", input={"command": f"tool{number} " + "x" * 50_000}, callId=f"c{number}"
            )
            agent.event("toolResult", tool="bash", output=big + str(number), exitCode=1, callId=f"c{number}")
            agent.event("toolCall", tool="write", input={"filePath": f"d/{number}/" + "y" * 200, "content": big})
            agent.event("toolCall", tool="read", input={"path": f"r/{number}.py"})

    at_rest(agent.engine)  # background imports count too
    burst(0)
    tracemalloc.start()
    burst(100)
    before, _ = tracemalloc.get_traced_memory()
    burst(200)
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 500_000
    assert len(agent.engine.agent_sessions.pop_reads(agent.engine.workspaces.all()[0].folder, "s1")) == 16
    agent.engine.agent_sessions.drop(agent.engine.workspaces.all()[0].folder)  # this test is not about storing


def test_events_of_many_threads_lose_nothing(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    engine = make_engine(repository, settings=slow)

    def work(number: int) -> None:
        agent = EventSender(engine, f"s{number}")
        for at in range(10):
            agent.teach(f"p{number}x{at}")
            agent.call("memory/search", query="make")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(EventSender(engine).memories()) == 60


def test_odd_inputs_are_taken_in_silence(make_engine: MakeEngine, repository: Path, slow: Settings) -> None:
    odd: list[object] = [None, 7, [], "text", {"command": 7}, {"command": [1, None]}, {"filePath": {"a": 1}}]
    odd += [{"edits": [[[]]]}, "{", "{}", {"paths": [None, {}]}, {"input": 1, "cwd": []}]
    outputs: list[object] = [None, 7, {}, {"stdout": {}}, [{"text": "x"}], [[[["x"]]]], {"exitCode": []}]
    engine = make_engine(repository, settings=slow)
    for tool in ("bash", "edit", "read", "whatever", "apply_patch"):
        for number, given in enumerate(odd):
            agent = EventSender(engine, f"{tool}{number}")
            agent.event("toolCall", tool=tool, input=given, callId="c")
            for output in outputs:
                agent.event("toolResult", tool=tool, input=given, output=output, metadata=output, exitCode="1")
    assert texts(EventSender(engine).memories()) == []
