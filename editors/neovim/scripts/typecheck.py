"""Check the plugin's LuaCATS types with a Lua language server: `python scripts/typecheck.py SERVER VIMRUNTIME`.

SERVER is a binary that speaks LSP over stdio and answers `textDocument/diagnostic` (emmylua_ls does); VIMRUNTIME is the
runtime folder of the Neovim whose API the plugin is checked against. Prints one line a finding; exit code 1 when there
are any.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

PLUGIN = Path(__file__).resolve().parents[1]

CONFIG = {
    "runtime": {"version": "LuaJIT", "requirePattern": ["lua/?.lua", "lua/?/init.lua"]},
    "diagnostics": {
        # Of Neovim's own annotations; telescope, fzf-lua and snacks are not there to be looked at.
        "disable": [
            "unnecessary-if",
            "unnecessary-assert",
            "preferred-local-alias",
            "unresolved-require",
            "need-check-nil",
        ]
    },
}


# `string.match` and list elements are declared to be nil at times, also where the code has made sure that they are not.
NIL_ONLY = re.compile(
    r"(?:expected `(.+)` but found|has a type of|Cannot assign) `\(?(.+?)\)?\?` ?(?:to `\2`|\.|instead)?"
)


# Neovim's runtime holds no annotations of libuv.
LIBUV = re.compile(r"Undefined field `(?:os_homedir|fs_stat|now)`")


def send(stream: BinaryIO, message: dict[str, Any]) -> None:
    """One frame."""
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    stream.flush()


def messages(stream: BinaryIO) -> Iterator[dict[str, Any]]:
    """Frames, until the stream ends."""
    while True:
        length = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        if not length:
            return
        yield json.loads(stream.read(length))


def known(message: str) -> bool:
    """Whether a finding is one of those that say nothing of this plugin."""
    return bool(NIL_ONLY.search(message) or LIBUV.search(message))


def findings(server: str, runtime: str) -> list[str]:
    """What is amiss, a line each."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "plugin")
        for part in ("lua", "lsp", "plugin"):
            for path in (PLUGIN / part).rglob("*.lua"):
                target = copy / path.relative_to(PLUGIN)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(path.read_text())
        settings = {**CONFIG, "workspace": {"library": [str(Path(runtime, "lua"))]}}
        (copy / ".emmyrc.json").write_text(json.dumps(settings))
        return _asked(server, copy)


def _asked(server: str, folder: Path) -> list[str]:
    uri = folder.as_uri()
    process = subprocess.Popen(
        [server],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=folder,
        env={**os.environ, "HOME": str(folder.parent)},
    )
    assert process.stdin is not None
    assert process.stdout is not None
    into, out = process.stdin, messages(process.stdout)

    def answer(to: int) -> Any:
        for message in out:
            if message.get("id") == to and "method" not in message:
                return message.get("result")
            if "id" in message and "method" in message:
                items = message.get("params", {}).get("items", ()) if message["params"] else ()
                send(into, {"id": message["id"], "result": [None for _ in items] or None})
        raise RuntimeError("the language server ended")

    try:
        capabilities = {"textDocument": {"diagnostic": {}}, "workspace": {"configuration": True}}
        params = {"processId": os.getpid(), "rootUri": uri, "capabilities": capabilities}
        params["workspaceFolders"] = [{"uri": uri, "name": "plugin"}]
        send(into, {"id": 0, "method": "initialize", "params": params})
        answer(0)
        send(into, {"method": "initialized", "params": {}})
        found = []
        for number, path in enumerate(sorted(folder.rglob("*.lua")), 1):
            document = {"uri": path.as_uri(), "languageId": "lua", "version": 1, "text": path.read_text()}
            send(into, {"method": "textDocument/didOpen", "params": {"textDocument": document}})
            asked = {"textDocument": {"uri": path.as_uri()}}
            send(into, {"id": number, "method": "textDocument/diagnostic", "params": asked})
            for item in (answer(number) or {}).get("items", ()):
                line = item["range"]["start"]["line"] + 1
                if item.get("severity", 1) <= 2 and not known(item["message"]):
                    found.append(f"{path.relative_to(folder)}:{line}: {item.get('code')}: {item['message']}")
        return found
    finally:
        process.kill()
        process.wait()


def main() -> int:
    """Print the findings."""
    if len(sys.argv) != 3:
        print(__doc__)
        return 2
    found = findings(sys.argv[1], sys.argv[2])
    print("\n".join(found) or "no findings")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
