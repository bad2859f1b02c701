"""What starting costs: a server's and an MCP server's first answers, each hook of a session, and commands.

    python -P tests/bench/start_up.py [--rounds 10] [--memories 1000] [--files 1000] [--python PYTHON ...]

Wall time and processor time (user and system, children included), medians in milliseconds, beside floors of the same
run: an interpreter that does nothing, and ones that import what cannot be done without. A round is one session, with
all hooks in the order in which an agent calls them, in a git repository of `--files` files whose stores hold
`--memories` memories, each about a function of one of its files. A server's first answer is that to one request, sent
together with `initialize`; each is asked of a server of its own. The files were read once before.

Without `--python` the code of this checkout runs; with it, what is installed beside each of those interpreters, in
turns, and the ratio of the last to the first. For figures as a user has them: an environment with a plain
`pip install .`, which compiles.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tests.client.json_value import Json

ROOT = Path(__file__).resolve().parents[2]
TOPICS = ("parser", "lexer", "cache", "migration", "deployment", "release", "session", "token", "index", "queue")
TRANSCRIPT = "The cache is kept in one file, because two files could disagree."


@dataclass(frozen=True)
class Cost:
    """Seconds on the clock and seconds of processor time."""

    wall: float
    processor: float


@dataclass(frozen=True)
class Install:
    """An interpreter and the sidecar that it runs."""

    python: str
    own: bool

    @property
    def command(self) -> list[str]:
        script = Path(self.python).parent / "memory-sidecar"
        if not self.own and script.is_file():
            return [str(script)]
        return [self.python, "-P", "-m", "sidecar"]


class Place:
    """A home, a repository and its memories, for one install."""

    def __init__(self, install: Install, home: Path, memories: int, files: int, sdk: str | None) -> None:
        self.install = install
        self.sdk = sdk
        self.folder = home / "work"
        self.folder.mkdir(parents=True)
        subprocess.run(["git", "init", "-q", str(self.folder)], check=True)
        (self.folder / "src").mkdir()
        for topic in TOPICS:
            (self.folder / "src" / f"{topic}.py").write_text(
                f'"""The {topic}."""\n\n\ndef {topic}_run() -> None:\n    pass\n' * 60
            )
        for number in range(files - len(TOPICS)):
            topic, part = TOPICS[number % len(TOPICS)], self.folder / "src" / f"part{number // 50}"
            part.mkdir(exist_ok=True)
            (part / f"{topic}_{number}.py").write_text(
                f'"""Step {number} of the {topic}."""\n\nfrom src.{topic} import {topic}_run\n\n\n'
                + "".join(f"def step_{number}_{n}(value: int) -> int:\n    return value + {n}\n\n\n" for n in range(20))
            )
        self.transcript = home / "transcript.jsonl"
        said = {"type": "assistant", "message": {"content": [{"type": "text", "text": TRANSCRIPT}]}}
        self.transcript.write_text(json.dumps(said) + "\n")
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
        self.environ = {**kept, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
        if install.own:
            self.environ["PYTHONPATH"] = str(ROOT)
        self._remember(memories)

    def _remember(self, count: int) -> None:
        hello: dict[str, Any] = {"processId": None, "capabilities": {}, "rootUri": self.folder.as_uri()}
        sent = [_framed("initialize", hello, 0), _framed("initialized", {}, None)]
        for number in range(count):
            topic, other = TOPICS[number % len(TOPICS)], TOPICS[number // len(TOPICS) % len(TOPICS)]
            content = f"Step {number} of the {topic} waits for the {other}: `{other}_run` in `src/{other}.py` is first."
            sent.append(_framed("memory/record", {"name": f"{topic} {number}", "content": content}, number + 1))
        with self._server() as process:
            assert process.stdin is not None
            assert process.stdout is not None
            for frame in sent:
                process.stdin.write(frame)
                process.stdin.flush()
                if b'"id":' in frame and (answer := _answer(process.stdout)).get("error"):
                    raise SystemExit(f"The store could not be filled: {answer['error']}")
            process.stdin.write(_framed("shutdown", None, count + 1) + _framed("exit", None, None))
            process.stdin.close()
            process.stdout.read()
        self.run([*self.install.command, "warm"])

    def _server(self, *arguments: str) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [*self.install.command, *(arguments or ("serve", "--stdio"))],
            cwd=self.folder,
            env=self.environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, command: Sequence[str], data: bytes = b"") -> Cost:
        """One process from spawn to its end."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        started = time.perf_counter()
        subprocess.run(command, input=data, stdout=subprocess.DEVNULL, cwd=self.folder, env=self.environ, check=True)
        wall = time.perf_counter() - started
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
        return Cost(wall, spent)

    def hook(self, name: str, session: str, **fields: object) -> Cost:
        """One event of an agent."""
        event = {"hook_event_name": name, "session_id": session, "cwd": str(self.folder), **fields}
        return self.run([*self.install.command, "hook"], json.dumps(event).encode())

    def hello(self) -> Cost:
        """Spawn to the answer of `initialize`."""
        hello = {"processId": os.getpid(), "capabilities": {}, "rootUri": self.folder.as_uri()}
        return self._asked(_framed("initialize", hello, 1), _answer)

    def first(self, method: str, **params: Any) -> Cost:
        """Spawn to the answer of one request that came at once with `initialize`."""
        hello = {"processId": os.getpid(), "capabilities": {}, "rootUri": self.folder.as_uri()}
        sent = _framed("initialize", hello, 1) + _framed("initialized", {}, None) + _framed(method, params, 2)
        return self._asked(sent, lambda stream: _all(_answer(stream), _answer(stream)))

    def mcp(self, tool: str | None = None, **given: object) -> Cost:
        """Spawn of the MCP server to the answer of `initialize`, or of one call that came at once with it."""
        client = {"name": "bench", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        sent = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}]
        if tool is not None:
            call = {"name": tool, "arguments": given}
            sent.append({"jsonrpc": "2.0", "method": "notifications/initialized"})
            sent.append({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call})

        def read(stream: IO[bytes]) -> dict[str, Any]:
            answers = [json.loads(stream.readline()) for _ in range(1 if tool is None else 2)]
            return _all(*answers)

        return self._asked(b"".join(json.dumps(each).encode() + b"\n" for each in sent), read, "mcp")

    def _asked(self, sent: bytes, read: Callable[[IO[bytes]], dict[str, Any]], *arguments: str) -> Cost:
        """Spawn to an answer; the processor time is what the process had used by then."""
        started = time.perf_counter()
        with self._server(*arguments) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write(sent)
            process.stdin.flush()
            answer = read(process.stdout)
            wall = time.perf_counter() - started
            # that process's clock, as clock_getcpuclockid(3) says
            spent = time.clock_gettime(~process.pid << 3 | 2)
            process.stdin.close()
            process.stdout.read()
        if "error" in answer or answer.get("result", {}).get("isError"):
            raise SystemExit(f"It was answered: {answer}")
        return Cost(wall, spent)

    def round(self, session: str) -> Iterator[tuple[str, Cost]]:
        """Everything once."""
        yield "python -c pass", self.run([self.install.python, "-c", "pass"])
        yield (
            "python -c 'import diskcache, msgspec'",
            self.run([self.install.python, "-c", "import diskcache, msgspec"]),
        )
        yield "import pygls", self.run([self.install.python, "-c", "import pygls.lsp.server"])
        if self.sdk is not None:
            yield "import mcp (the SDK, not used here)", self.run([self.sdk, "-c", "import mcp.server"])
        yield "memory-sidecar --version", self.run([*self.install.command, "--version"])
        yield "serve: spawn to initialize", self.hello()
        question = "In which order are the parser and the cache read?"
        yield "serve: ... memory/inject", self.first("memory/inject", prompt=question)
        yield "serve: ... memory/search", self.first("memory/search", query=question)
        yield "serve: ... file/summary", self.first("file/summary", path="src/parser.py")
        yield "serve: ... sidecar/status", self.first("sidecar/status")
        yield "mcp: spawn to initialize", self.mcp()
        yield "mcp: ... tools/call recall", self.mcp("recall", query=question)
        yield "mcp: ... tools/call context", self.mcp("context", prompt=question)
        yield "mcp: ... tools/call file_summary", self.mcp("file_summary", path="src/parser.py")
        for name, given in (("search", [question]), ("inject", [question]), ("list", []), ("status", [])):
            yield f"memory-sidecar {name}", self.run([*self.install.command, name, *given])
        yield "hook SessionStart", self.hook("SessionStart", session, source="startup")
        yield "hook UserPromptSubmit", self.hook("UserPromptSubmit", session, prompt=question)
        read = {"tool_name": "Read", "tool_input": {"file_path": str(self.folder / "src" / "parser.py")}}
        yield "hook PreToolUse, read of a file", self.hook("PreToolUse", session, **read)
        shell = {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_response": {"stdout": "ok"}}
        yield "hook PostToolUse, a command", self.hook("PostToolUse", session, **shell)
        yield "hook Stop", self.hook("Stop", session, transcript_path=str(self.transcript))
        again = "From now on always keep the cache in one file. What does the release need, and the queue?"
        yield "hook UserPromptSubmit, second turn", self.hook("UserPromptSubmit", session, prompt=again)
        yield "hook SessionEnd", self.hook("SessionEnd", session, reason="other")


def _framed(method: str, params: object, id: int | None) -> bytes:
    message = {"jsonrpc": "2.0", "method": method, **({} if id is None else {"id": id})}
    body = json.dumps(message if params is None else {**message, "params": params}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _answer(stream: IO[bytes]) -> dict[str, Json]:
    """The next response; what the server tells or asks meanwhile is left out."""
    while True:
        length = 0
        while (line := stream.readline()).strip():
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        message: dict[str, Any] = json.loads(stream.read(length))
        if "id" in message and "method" not in message:
            return message


def _all(*answers: dict[str, Json]) -> dict[str, Json]:
    """The last of several answers, or the first that is an error."""
    return next((each for each in answers if "error" in each), answers[-1])


def main(rounds: int, memories: int, files: int, installs: Sequence[Install], sdk: str | None) -> None:
    """Measure and print."""
    found: dict[str, list[list[Cost]]] = {}
    with tempfile.TemporaryDirectory() as room:
        places = [Place(each, Path(room, str(at)), memories, files, sdk) for at, each in enumerate(installs)]
        for number in range(rounds + 1):  # the first one warms the caches of the disk and compiles
            for at, place in enumerate(places):
                for what, cost in place.round(f"bench-{number}"):
                    rows = found.setdefault(what, [[] for _ in places])
                    if number:
                        rows[at].append(cost)
    for install in installs:
        print(" ".join(install.command))
    print(f"{rounds} rounds, {memories} memories, {files} files; wall / processor, median, milliseconds")
    for what, rows in found.items():
        shown = [f"{_median(row, 'wall'):7.0f} / {_median(row, 'processor'):4.0f}" for row in rows]
        pairs = zip(rows[0], rows[-1], strict=True)
        ratio = statistics.median(last.processor / max(first.processor, 1e-9) for first, last in pairs)
        print(f"{what:<40}{'   '.join(shown)}{f'   x {ratio:.2f}' if len(rows) > 1 else ''}")


def _median(costs: Sequence[Cost], field: str) -> float:
    return 1_000 * statistics.median(float(getattr(cost, field)) for cost in costs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--memories", type=int, default=1_000)
    parser.add_argument("--files", type=int, default=1_000)
    parser.add_argument("--python", action="append", default=[])
    parser.add_argument("--sdk", help="an interpreter that has the official SDK of MCP, for its floor")
    given = parser.parse_args()
    chosen = [Install(os.path.abspath(path), own=False) for path in given.python]
    main(given.rounds, given.memories, given.files, chosen or [Install(sys.executable, own=True)], given.sdk)
