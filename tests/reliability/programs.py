"""Repositories whose configuration, hooks and files name programs (issue 14.3), and settings that go too far (14.6)."""

from __future__ import annotations

import json
import random
import shutil
import stat
import sys
from pathlib import Path

from tests.reliability.outcome import Outcome
from tests.reliability.posing import PAGE, commit
from tests.reliability.sandbox import Sandbox, git

KEYS = """
core.fsmonitor core.sshCommand core.pager core.editor core.askPass core.gitProxy core.alternateRefsCommand
core.hooksPath/ diff.external diff.evil.command diff.evil.textconv filter.evil.clean filter.evil.smudge
filter.evil.process merge.evil.driver mergetool.evil.cmd difftool.evil.cmd gpg.program gpg.openpgp.program
gpg.x509.program gpg.ssh.program gpg.ssh.defaultKeyCommand credential.helper interactive.diffFilter sequence.editor
pager.log pager.diff pager.show pager.status pager.ls-files pager.blame pager.grep pager.config pager.rev-list
pager.check-ignore pager.cat-file pager.diff-tree
trailer.evil.command trailer.evil.cmd uploadpack.packObjectsHook remote.origin.uploadpack remote.origin.receivepack
remote.origin.vcs! submodule.evil.update! alias.log! alias.status! alias.ls-files! alias.rev-list! browser.evil.cmd
man.evil.cmd instaweb.httpd web.browser sendemail.smtpServer imap.tunnel gc.recentObjectsHook init.templateDir/
receive.procReceiveRefs guitool.evil.cmd add.interactive.useBuiltin lsrefs.unborn rebase.instructionFormat
""".split()
"""Keys of git that name a program; `/` after those that name a folder, `!` where a shell is asked for."""

HOOKS = """
applypatch-msg pre-commit post-checkout post-commit post-index-change post-merge post-rewrite pre-auto-gc
reference-transaction fsmonitor-watchman sendemail-validate pre-push update
""".split()
MODULES = ("json", "sitecustomize", "usercustomize", "sidecar/__init__", "tree_sitter", "sqlite3", "msgspec/__init__")
"""What Python would import from the folder that a process was started in."""

PATH_NAMES = ("git", "python", "python3", "ssh", "gpg", "sh")


def _script(path: Path, marker: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f'#!/bin/sh\necho "$0 $*" >> {marker}\nexec cat\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


def _signed(folder: Path) -> None:
    """A commit with a signature, which `log.showSignature` has git look at."""
    raw = git(folder, "cat-file", "commit", "HEAD")
    head, _, body = raw.partition("\n\n")
    signature = "gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----"
    made = git(
        folder, "hash-object", "-t", "commit", "-w", "--stdin", input=f"{head}\n{signature}\n\n{body}\n".encode()
    )
    git(folder, "update-ref", "HEAD", made)


def configured(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Everything that git can be told to run is told, each to leave a mark, and the whole program is used there."""
    with Sandbox(room) as sandbox:
        outcome, folder = Outcome(), sandbox.folder
        marks, bin = room / "marks", room / "bin"
        marks.mkdir(parents=True)
        (sandbox.home / ".gitconfig").write_text("[user]\n\tname = Me\n")
        attributes = "* diff=evil filter=evil merge=evil\n"
        files = {
            ".gitattributes": attributes,
            ".gitmodules": '[submodule "evil"]\n\tpath = evil\n\turl = ./e\n\tupdate = !x\n',
        }
        commit(
            folder,
            {f"lib/part{n}.py": f'"""Part {n} of the zebra."""\n\n\ndef f{n}(): return {n}\n' for n in range(30)},
            "Add parts (zebra)",
        )
        for text in (PAGE, PAGE.replace("8080", "8081")):
            commit(folder, files | {".agents/MEMORY.md": text, "lib/part0.py": text}, "Change the zebra part")
            _signed(folder)
        git(folder, "remote", "add", "origin", "ssh://git.invalid/zebra.git")
        for key in KEYS:
            plain = key.rstrip("/!")
            script = _script(bin / plain, marks / plain)
            if key.endswith("/"):
                for hook in HOOKS:
                    _script(bin / f"{plain}.d" / hook, marks / plain)
                script = f"{bin / plain}.d"
            git(folder, "config", plain, f"!{script}" if key.endswith("!") else script)
        for key in ("log.showSignature", "core.untrackedCache", "extensions.worktreeConfig", "log.mailmap"):
            git(folder, "config", key, "true")
        git(folder, "config", "log.diffMerges", "on")
        included = room / "included"
        included.write_text(f"[core]\n\tfsmonitor = {_script(bin / 'included', marks / 'included')}\n")
        git(folder, "config", "include.path", str(included))
        for hook in HOOKS:
            _script(folder / ".git" / "hooks" / hook, marks / f"hook {hook}")
        for name in PATH_NAMES:
            _script(folder / name, marks / f"path {name}")
        for module in MODULES:
            _write_module(folder / f"{module}.py", marks / f"module {module.replace('/', '.')}")
        for path in marks.iterdir():
            path.unlink()  # what git ran while this was made
        _use(sandbox)
        outcome.tries = len(KEYS) + len(HOOKS) + len(PATH_NAMES) + len(MODULES)
        outcome.wrong += [f"{mark.name} was run: {mark.read_text()[:200]}" for mark in sorted(marks.iterdir())]
        sandbox.judge(outcome)
        return outcome


def missing_objects(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A partial clone whose missing objects git would fetch by a program of the repository's choice."""
    with Sandbox(room) as sandbox:
        outcome, folder = Outcome(tries=1), sandbox.folder
        mark = room / "ran"
        commit(folder, {f"lib/part{n}.py": f"def f{n}(): return {n}\n" for n in range(5)}, "Add the zebra")
        commit(folder, {"lib/part0.py": "zebra = 1\n"}, "Change the zebra")
        script = _script(room / "bin" / "fetch", mark)
        for key, value in {
            "core.repositoryFormatVersion": "1",
            "extensions.partialClone": "origin",
            "remote.origin.url": f"ext::{script}",
            "remote.origin.promisor": "true",
            "remote.origin.uploadpack": script,
            "remote.origin.partialclonefilter": "blob:none",
            "protocol.ext.allow": "always",
        }.items():
            git(folder, "config", key, value)
        for blob in git(folder, "rev-list", "--objects", "--all").splitlines():
            if " lib/" in blob:
                name = blob.split()[0]
                (folder / ".git" / "objects" / name[:2] / name[2:]).unlink(missing_ok=True)
        mark.unlink(missing_ok=True)
        _use(sandbox)
        if mark.exists():
            outcome.wrong.append(f"git fetched by a program of the repository: {mark.read_text()[:200]}")
        sandbox.judge(outcome)
        return outcome


def _write_module(path: Path, marker: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"open({str(marker)!r}, 'a').write('imported')\n")


def _use(sandbox: Sandbox) -> None:
    """Every way in which git, or another program, might be asked for something."""
    command = str(Path(sys.executable).with_name("memory-sidecar"))
    folder = sandbox.folder
    client = sandbox.server(command=[command, "serve"], env={"PYTHONPATH": ""})
    client.call("memory/record", {"content": "The zebra is in `lib/part0.py` and `lib/part1.py`."})
    client.call("memory/record", {"content": "I like the zebra.", "scope": "global"})
    for method, params in (
        ("file/search", {"query": "change the zebra part"}),
        ("file/summary", {"path": "lib/part0.py"}),
        ("workspace/repoMap", {"budgetTokens": 2_000}),
        ("context/boot", {}),
        ("memory/inject", {"prompt": "Where is the zebra?", "files": ["lib/part0.py"]}),
        ("memory/bootstrap", {}),
        ("memory/maintain", {}),
        ("hooks/verify", {}),
        ("session/import", {}),
        ("sidecar/status", {}),
    ):
        client.response(client.start(method, params))
    (folder / "lib" / "part2.py").write_text("x = 1\n")
    (folder / ".agents" / "MEMORY.md").open("a").write("- Written by hand.\n")
    client.call("file/search", {"query": "zebra part 2"})
    for text in (PAGE, PAGE.replace("8080", "8081"), PAGE):  # as earlier commits have it
        (folder / ".agents" / "MEMORY.md").write_text(text)
        sandbox.memories(client)
        client.call("memory/inject", {})
    client.close()
    for name, fields in (
        ("SessionStart", {"source": "startup"}),
        ("UserPromptSubmit", {"prompt": "Remember: the zebra sleeps."}),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": str(folder / "lib/part0.py")}}),
        ("SessionEnd", {}),
    ):
        sandbox.hook(name, **fields)
    for words in (["doctor"], ["files", "the zebra"], ["warm"]):
        sandbox.run(*words)
    mcp = sandbox.mcp()
    mcp.tool("find_files", query="change the zebra part")
    mcp.tool("repo_map")


def settings(room: Path, chance: random.Random, tries: int) -> Outcome:
    """A repository's own settings ask for budgets and sizes beyond the defaults, and intervals below them."""
    with Sandbox(room) as sandbox:
        outcome = Outcome()
        plain = json.loads(sandbox.run("settings", "--json").stdout)["settings"]
        numbers = {
            key: row["value"]
            for key, row in plain.items()
            if isinstance(row["value"], (int, float)) and not isinstance(row["value"], bool)
        }
        often = ("Seconds", "Minutes", "Hours", "Days")
        place = sandbox.folder / ".agents" / "memory-sidecar.toml"
        place.parent.mkdir(exist_ok=True)
        for factor in (0.001, 0.01, 0.1, 0.5, 2, 10, 100, 1000):
            asked = {
                key: value * factor if isinstance(value, float) else max(1, round(value * factor))
                for key, value in numbers.items()
            }
            place.write_text("".join(f"{key} = {value}\n" for key, value in asked.items()))
            got = json.loads(sandbox.run("settings", "--json").stdout)["settings"]
            outcome.tries += len(asked)
            for key, default in numbers.items():
                value = got[key]["value"]
                if value < default if key.endswith(often) else value > default:
                    outcome.wrong.append(f"a repository made {key} {value}; {default} is the default")
        sandbox.judge(outcome)
        return outcome


def shadowed(room: Path, chance: random.Random, tries: int) -> Outcome:
    """Python files in the folder that are called like modules are not imported by `python -P` either."""
    with Sandbox(room) as sandbox:
        outcome, marks = Outcome(tries=len(MODULES)), room / "marks"
        marks.mkdir()
        for module in MODULES:
            _write_module(sandbox.folder / f"{module}.py", marks / module.replace("/", "."))
        client = sandbox.server()
        client.call("workspace/repoMap", {})
        client.close()
        outcome.wrong += [f"{mark.name} was imported" for mark in marks.iterdir()]
        shutil.rmtree(marks)
        return outcome
