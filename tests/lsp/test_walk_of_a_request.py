"""The methods that a request passes are those that the walk in `sidecar/README.md` names, in the same order."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from protocol.client import Client
from protocol.memories import InjectParams

ROOT = Path(__file__).resolve().parents[2]

SERVER = """
import sys
from sidecar.lsp.process import run
from sidecar.memories.injection.injector import Injector
from sidecar.runtime.lanes import Lanes

def print_frames(called):
    frame, names = sys._getframe(2), [called]
    while frame is not None:
        names.append(frame.f_code.co_qualname)
        frame = frame.f_back
    with open(sys.argv[1], "a") as file:
        print(*(name for name in reversed(names) if "." in name and not name.startswith("Thread.")), file=file)

submit, inject = Lanes.submit, Injector.inject

def submit_and_print(self, lane, task):
    if lane == "read":
        print_frames("Lanes.submit")
    submit(self, lane, task)

def inject_and_print(self, *arguments):
    print_frames("Injector.inject")
    return inject(self, *arguments)

Lanes.submit, Injector.inject = submit_and_print, inject_and_print
sys.exit(run())
"""


def test_an_inject_passes_the_frames_that_the_map_names(tmp_path: Path) -> None:
    folder, printed = tmp_path / "work", tmp_path / "frames"
    folder.mkdir()
    environ = {**os.environ, "HOME": str(tmp_path), "MEMORY_SIDECAR_STORE_FOLDER": str(tmp_path / "store")}
    with Client([sys.executable, "-c", SERVER, str(printed)], environ, cwd=folder) as client:
        client.initialize([folder])
        client.memory_inject(InjectParams(prompt="How are the tests run?"))
    page = (ROOT / "sidecar/README.md").read_text(encoding="utf-8")
    (told,) = re.findall(r"^In frames: (.*?)\n\n", page, re.MULTILINE | re.DOTALL)
    assert printed.read_text().split() == re.findall(r"`([\w.]+)`", told)
