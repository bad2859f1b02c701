"""How soon two editors are told of what an agent records: `python tests/bench/three_clients.py [--records 200]`.

Three real processes on one workspace: an MCP agent, VS Code's and Neovim's capabilities with our plugins. Milliseconds
from the agent's answer to the editor's `memory/didChange`; a record comes at a random time after the one before.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.client.three import FollowingEditor, agent  # noqa: E402


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--records", type=int, default=200)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as root:
        folder, home = Path(root, "work"), Path(root, "home")
        folder.mkdir()
        home.mkdir()
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
        env = {"HOME": str(home), "XDG_DATA_HOME": f"{home}/data", "XDG_CONFIG_HOME": f"{home}/config"}
        env["XDG_STATE_HOME"] = f"{home}/state"
        editors = {
            "VS Code": FollowingEditor("vscode-languageclient-9", folder, env),
            "Neovim": FollowingEditor("neovim-0.11", folder, env),
        }
        delays: dict[str, list[float]] = {name: [] for name in editors}
        with agent(folder, home, env) as started:
            for editor in editors.values():
                editor.call("memory/list")
            time.sleep(2)
            for number in range(given.records):
                for editor in editors.values():
                    editor.forget()
                answer = started.tool("remember", content=f"Finding {number * 7919}, number {number}.")
                at = time.monotonic()
                for name, editor in editors.items():
                    told, _ = editor.told_of(str(answer["structuredContent"]["id"]))
                    delays[name].append((told - at) * 1e3)
                time.sleep(random.uniform(0, 0.8))
        for editor in editors.values():
            editor.close()
    print(f"{'':12}{'p50':>9}{'p99':>9}{'most':>9}  ms")
    for name, found in delays.items():
        ordered = sorted(found)
        p50, p99 = ordered[len(ordered) // 2], ordered[int(len(ordered) * 0.99) - 1]
        print(f"{name:12}{p50:9.0f}{p99:9.0f}{ordered[-1]:9.0f}")


if __name__ == "__main__":
    main()
