"""The example agents and the TypeScript client, built and run with a real server and a scripted model."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.client.installed import npm
from tests.client.json_value import Json

ROOT = Path(__file__).resolve().parents[2]
EDITORS = ROOT / "editors"
SECONDS = 200


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    home = tmp_path / "home"
    home.mkdir()
    own = {"HOME": str(home), "PYTHONPATH": str(ROOT), "MEMORY_SIDECAR_STORE_FOLDER": str(home / "store")}
    return {**os.environ, **own, "XDG_RUNTIME_DIR": str(home), "MEMORY_SIDECAR": f"{sys.executable} -m sidecar serve"}


@pytest.fixture
def model(environ: dict[str, str]) -> Iterator[list[Json]]:
    """A model that wants to run `echo hello`, and what it was asked."""
    asked: list[Json] = []

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            body = json.dumps({"choices": [{"message": {"content": "RUN: echo hello"}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    environ |= {"MODEL_URL": f"http://127.0.0.1:{server.server_port}", "MODEL_NAME": "scripted"}
    yield asked
    server.shutdown()
    server.server_close()


def check(agent: list[str], environ: dict[str, str], asked: list[Json], folder: Path) -> None:
    """Run an agent twice: the second time it is told what the user said the first time."""
    folder.mkdir()
    for prompt in ("From now on always run the tests with make check.", "How are the tests run here?"):
        done = subprocess.run(
            [*agent, prompt], cwd=folder, env=environ, capture_output=True, text=True, timeout=SECONDS, check=True
        )
        assert "hello" in done.stdout
    first, second = (one["messages"][0]["content"] for one in asked)
    assert "make check" not in first
    assert "make check" in second
    listed = [sys.executable, "-m", "sidecar", "list", "--category", "conversation", "--json"]
    found = subprocess.run(listed, cwd=folder, env=environ, capture_output=True, timeout=SECONDS, check=True)
    assert len(json.loads(found.stdout)["items"]) == 2, "each session's summary is kept"


def test_the_agent_in_python(environ: dict[str, str], model: list[Json], tmp_path: Path) -> None:
    check([sys.executable, str(EDITORS / "example-agent" / "agent.py")], environ, model, tmp_path / "work")


@pytest.mark.editor
def test_the_agent_in_typescript_and_its_client(environ: dict[str, str], model: list[Json], tmp_path: Path) -> None:
    compiler, types = npm("typescript", "5.9.3", "tsc"), npm("@types/node", "20.19.43", "").parent / "@types"
    for name in ("typescript", "example-agent"):
        shutil.copytree(EDITORS / name, tmp_path / name, ignore=shutil.ignore_patterns("node_modules", "dist"))
        modules = tmp_path / name / "node_modules"
        modules.mkdir()
        (modules / "@types").symlink_to(types)
        if name == "example-agent":
            (modules / "memory-sidecar-client").symlink_to(tmp_path / "typescript")
        built = subprocess.run([compiler], cwd=tmp_path / name, capture_output=True, text=True, check=False)
        assert built.returncode == 0, built.stdout
    check(["node", str(tmp_path / "example-agent" / "dist" / "agent.js")], environ, model, tmp_path / "work")

    script = tmp_path / "example-agent" / "failing.mjs"
    script.write_text(
        "import { Client, ERROR_CODES, ServerGone, WireError } from 'memory-sidecar-client';\n"
        "const command = process.env.MEMORY_SIDECAR.split(' ');\n"
        "const client = new Client(command);\n"
        "await client.initialize([process.cwd()]);\n"
        "const told = new Promise((done) => client.on('memory/didChange', done));\n"
        "await client.request('memory/record', { content: 'Amounts are cents.' });\n"
        "if ((await told).changes[0].change !== 'created') throw new Error('no notification');\n"
        "await client.request('memory/get', { id: 'none' }).catch((error) => {\n"
        "  if (!(error instanceof WireError) || !Object.values(ERROR_CODES).includes(error.code)) throw error;\n"
        "});\n"
        "if ((await client.close()) !== 0) throw new Error('not ended in order');\n"
        "const gone = new Client([command[0], '-c', 'import sys; sys.exit(\"last words\")']);\n"
        "await gone.initialize([process.cwd()]).then(() => { throw new Error('answered'); }, (error) => {\n"
        "  if (!(error instanceof ServerGone) || !error.message.includes('last words')) throw error;\n"
        "});\n"
    )
    done = subprocess.run(
        ["node", str(script)],
        cwd=tmp_path / "work",
        env=environ,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stderr
