"""A server keeps working when its own program is replaced or removed while it runs."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from tests.engine.conftest import python

ROOT = Path(__file__).resolve().parents[2]

GO_ON = """
import shutil, subprocess, sys
from pathlib import Path
import msgspec
import sidecar.lsp.server
from sidecar.engine.engine import Engine
from sidecar.engine.options import EngineOptions
from sidecar.settings import Settings
from sidecar.settings.model import StoreSettings, WatchSettings
from sidecar.engine.decoder_warmup import warm_up_decoders
from protocol.methods import METHODS

warm_up_decoders()
program, folder = Path(sys.argv[1]), Path(sys.argv[2])
later = [0]
settings = Settings(store=StoreSettings(folder=folder.parent / "store"), watch=WatchSettings(mode="off"))
engine = Engine(settings, EngineOptions(clock=lambda: 1_800_000_000_000 + later[0]))
engine.lifecycle.add_workspace(folder)

def call(method, **params):
    return engine.call(method, msgspec.convert(params, METHODS[method].params))

call("memory/record", content="The project is built with make, see `letters.py`.", name="built")
later[0] += 20_000  # nobody has asked for a while
engine.housekeeping.use_idle_time()

shutil.rmtree(program / "sidecar")
shutil.rmtree(program / "protocol")
told = {"sessionId": "s", "tool": "bash", "input": {"command": "make test"}}
call("event/toolCall", **told)
call("event/toolResult", **told, output="Error: no rule", exitCode=2)
call("event/userMessage", sessionId="s", text="Always use pnpm rather than npm here.")
call("file/recordRead", path="letters.py", sessionId="s")
text = "`send` in `letters.py` always returns False for an empty body because its callers rely on that."
call("file/observe", sessionId="s", text=text, paths=["letters.py"])
for method, params in {
    "memory/search": {"query": "make"}, "memory/inject": {"prompt": "make", "sessionId": "s"},
    "context/boot": {}, "context/entity": {"entity": "letters.py"}, "file/summary": {"path": "letters.py"},
    "file/search": {"query": "send a letter"}, "file/handoff": {"sessionId": "s"}, "workspace/repoMap": {},
    "session/claim": {"sessionId": "s", "item": "x"}, "reminder/set": {"text": "x", "at": "+2h"},
    "memory/export": {}, "memory/maintain": {}, "hooks/verify": {}, "sidecar/status": {}, "sidecar/metrics": {},
    "session/end": {"sessionId": "s", "summary": "Wrote letters."},
}.items():
    call(method, **params)
    print(method)
engine.close()
"""


def test_everything_goes_on_when_the_program_is_removed(tmp_path: Path) -> None:
    program, folder = tmp_path / "program", tmp_path / "work"
    for package in ("sidecar", "protocol"):
        shutil.copytree(ROOT / package, program / package, ignore=shutil.ignore_patterns("__pycache__"))
    folder.mkdir()
    (folder / "letters.py").write_text(
        '"""Sends letters."""\n\n\ndef send(body: str) -> bool:\n    return bool(body)\n'
    )
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    done = subprocess.run(
        [sys.executable, "-P", "-c", GO_ON, str(program), str(folder)],
        env={"PYTHONPATH": str(program), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 16


def test_an_agent_that_needs_nothing_of_lsp_gets_no_lsprotocol() -> None:
    code = (
        "import sys, sidecar.lsp.server\n"
        "from sidecar.engine.preload import import_all\n"
        "import_all(lambda: None)\n"
        "print('lsprotocol' in sys.modules, 'sidecar.engine.handlers.interchange' in sys.modules)\n"
    )
    assert python(code).stdout == "False True\n"


def test_modules_of_other_processes_are_not_preloaded() -> None:
    code = (
        "import sys, sidecar.mcp.server\n"
        "from sidecar.engine.preload import import_all\n"
        "print(import_all(lambda: None) > 200)\n"
        "fronts = ('sidecar.cli', 'sidecar.lsp', 'sidecar.hooks', 'pygls')\n"
        "print([name for name in fronts if name in sys.modules])\n"
    )
    done = python(code)
    assert (done.stdout, done.stderr) == ("True\n[]\n", "")
