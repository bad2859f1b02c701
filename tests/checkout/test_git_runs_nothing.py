"""Whatever a repository, its user or the environment configures, our calls of git start no program."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from sidecar.checkout import git as runner
from sidecar.checkout import hand_edits
from sidecar.checkout.clone_identity import first_commit, holds_commit
from sidecar.checkout.git import git_output, is_tracked
from sidecar.checkout.history import HeadMoves, History
from sidecar.checkout.repository import find_repository
from sidecar.transcripts import discovery
from tests.checkout.conftest import Git, isolate_git

ROOT = Path(__file__).resolve().parents[2]

CONTROLS = {
    "core.fsmonitor": ["status"],
    "core.hooksPath": ["commit", "-q", "--allow-empty", "-m", "x"],
    "core.editor": ["commit", "--allow-empty"],
    "core.sshCommand": ["ls-remote", "ssh://nowhere.invalid/x"],
    "core.askPass": ["credential", "fill"],
    "credential.helper": ["credential", "fill"],
    "diff.external": ["diff", "HEAD"],
    "diff.trap.command": ["diff", "HEAD"],
    "diff.trap.textconv": ["diff", "HEAD"],
    "filter.trap.clean": ["add", "changed.txt"],
    "filter.trap.smudge": ["checkout", "-f", "HEAD", "--", "gone.txt"],
    "merge.trap.driver": ["merge", "-q", "side"],
    "gpg.program": ["log", "-1", "--show-signature"],
    "alias.trap": ["trap"],
    "trailer.trap.cmd": ["interpret-trailers", "--trailer", "trap=x"],
    "remote.peer.uploadpack": ["fetch", "-q", "peer"],
    "remote.origin.url": ["fetch", "-q", "origin"],
    "tar.trap.command": ["archive", "--format=trap", "HEAD"],
}
"""Keys of git's documentation that name a program, each with a command that runs it: so the trap is known to work."""

OTHERS = (
    "core.pager uploadpack.packObjectsHook pager.log sequence.editor core.gitProxy core.alternateRefsCommand "
    "credential.https://nowhere.invalid.helper filter.trap.process gpg.openpgp.program gpg.ssh.program "
    "gpg.ssh.defaultKeyCommand gpg.x509.program interactive.diffFilter trailer.trap.command "
    "browser.trap.cmd browser.trap.path web.browser man.trap.cmd man.trap.path difftool.trap.cmd "
    "mergetool.trap.cmd guitool.trap.cmd remote.peer.receivepack remote.peer.vcs submodule.trap.update "
    "sendemail.sendmailCmd sendemail.toCmd sendemail.ccCmd init.templateDir instaweb.browser "
    "instaweb.httpd imap.tunnel receive.procReceiveRefs"
).split()
"""Keys whose programs run only with a command that is not on every machine."""

VARIABLES = (
    "GIT_EXTERNAL_DIFF GIT_SSH GIT_SSH_COMMAND GIT_PROXY_COMMAND GIT_PAGER PAGER GIT_EDITOR EDITOR VISUAL "
    "GIT_SEQUENCE_EDITOR GIT_ASKPASS SSH_ASKPASS BROWSER GIT_MAN_VIEWER"
).split()


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """Make the folder in which each trap leaves its name when it is run."""
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


@pytest.fixture
def trap(tmp_path: Path, marks: Path) -> Callable[[str], str]:
    """Return a function that makes a program that leaves a mark, and returns its path."""

    def make(name: str) -> str:
        name = re.sub(r"[^A-Za-z0-9.-]", "_", name)
        path = tmp_path / "traps" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\ntouch '{marks}/{name}'\n")
        path.chmod(0o755)
        return str(path)

    return make


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory, git: Git, new_repository: Callable[..., Path]) -> Path:
    """Make a repository with all that makes git want a program: attributes, a signature, a submodule, a change."""
    folder = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patched:
        isolate_git(folder, patched)
        return wanting_repository(folder / "r", git, new_repository(folder / "peer"))


@pytest.fixture
def repository(template: Path, tmp_path: Path) -> Path:
    """Return a copy of the template, of the test's own."""
    return Path(shutil.copytree(template, tmp_path / "r"))


def wanting_repository(made: Path, git: Git, peer: Path) -> Path:
    made.mkdir()
    git(made, "init", "-q")
    (made / ".gitattributes").write_text("* diff=trap merge=trap filter=trap text eol=crlf ident\nplain.txt -filter\n")
    (made / ".gitmodules").write_text(f'[submodule "trap"]\n\tpath = sub\n\turl = {peer}\n')
    for name in ("changed.txt", "gone.txt", "plain.txt", ".aider.chat.history.md"):
        (made / name).write_text("one\n")
    git(made, "add", ".")
    git(made, "update-index", "--add", "--cacheinfo", f"160000,{git(peer, 'rev-parse', 'HEAD').strip()},sub")
    git(made, "commit", "-qm", "first")
    git(made, "checkout", "-q", "-b", "side")
    (made / "changed.txt").write_text("side\n")
    git(made, "commit", "-qam", "of the side")
    git(made, "checkout", "-q", "main")
    (made / "changed.txt").write_text("two\n")
    git(made, "commit", "-qam", "second")
    signed = git(made, "cat-file", "commit", "HEAD").replace(
        "\n\n", "\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n", 1
    )
    id = git(made, "hash-object", "-t", "commit", "-w", "--stdin", input=signed).strip()
    git(made, "update-ref", "refs/heads/main", id)
    git(made, "remote", "add", "peer", str(peer))
    (made / "changed.txt").write_text("three\n")
    (made / "gone.txt").unlink()
    os.utime(made / ".git" / "index", (0, 0))  # so that git is not taken to be at work
    return made


def every_call(folder: Path) -> None:
    """Make all our calls of git, through the functions that make them."""
    past = History(folder)
    ids = past.ancestors(100)
    assert ids
    assert past.commits(ids)
    assert past.renamed_path("changed.txt") is None
    found = find_repository(folder)
    assert found is not None
    root = first_commit(found)
    assert root == ids[-1]
    assert holds_commit(found, root)
    assert is_tracked(folder, "changed.txt")
    now = hand_edits.git_trace(folder, "plain.txt")
    committed = msgspec.structs.replace(now, index={})
    assert hand_edits.hand_edited_paths(folder, committed, now, {"plain.txt": "one\n"}) == set()
    unlogged = msgspec.structs.replace(now, log=-1)
    assert hand_edits.hand_edited_paths(folder, unlogged, now, {"new.txt": "one\n"}) == set()
    main = folder / ".git" / "refs" / "heads" / "main"
    main.write_text(f"{ids[-1]}\n")
    moved = HeadMoves(past)
    assert moved.changed_paths() == []
    main.write_text(f"{ids[0]}\n")
    assert "changed.txt" in moved.changed_paths()
    sessions = discovery.discover(discovery.Checkouts(folder, folder.parent), folder.parent, {})
    assert [problem.agent for problem in sessions.problems] == ["aider"], (
        "its file may be anybody's, since git tracks it"
    )


def value_for(key: str, trap: str) -> str:
    """Return a value that makes a key run the trap."""
    if key == "core.hooksPath":
        hooks = Path(trap).parent / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in ("pre-commit", "reference-transaction", "post-index-change", "fsmonitor-watchman"):
            (hooks / name).write_bytes(Path(trap).read_bytes())
            (hooks / name).chmod(0o755)
        return str(hooks)
    if key == "remote.origin.url":
        return f"ext::{trap} %S"
    shell = key.startswith(("alias.", "submodule.", "credential."))
    return f"!{trap}" if shell else trap


def configure(git: Git, folder: Path, key: str, trap: str) -> None:
    git(folder, "config", key, value_for(key, trap))
    companions = {
        "gpg.ssh": {"gpg.format": "ssh"},
        "gpg.x509": {"gpg.format": "x509"},
        "trailer.trap": {"trailer.trap.key": "Trap", "trailer.trap.ifmissing": "add"},
        "browser.trap": {"web.browser": "trap"},
        "man.trap": {"man.viewer": "trap"},
        "difftool.trap": {"diff.tool": "trap"},
        "mergetool.trap": {"merge.tool": "trap"},
        "remote.origin": {"protocol.ext.allow": "always", "remote.origin.promisor": "true",
                          "extensions.partialClone": "origin"},
    }  # fmt: skip
    for prefix, pairs in companions.items():
        for name, value in pairs.items() if key.startswith(prefix) else ():
            git(folder, "config", name, value)
    for name, value in {"log.showSignature": "true", "core.untrackedCache": "true", "gc.auto": "1"}.items():
        git(folder, "config", name, value)


@pytest.mark.parametrize("key", CONTROLS)
def test_a_program_that_git_would_run_is_not_run_by_our_calls(
    key: str, repository: Path, git: Git, trap: Callable[[str], str], marks: Path
) -> None:
    configure(git, repository, key, trap(key))
    every_call(repository)
    assert os.listdir(marks) == []
    subprocess.run(
        ["git", *CONTROLS[key]],
        cwd=repository, capture_output=True, check=False, timeout=20,
        input=b"protocol=https\nhost=nowhere.invalid\n\n0000",
        env={**os.environ, "TERM": "dumb", "DISPLAY": "", "GIT_TERMINAL_PROMPT": "0"},
    )  # fmt: skip
    assert os.listdir(marks)


def test_programs_of_commands_that_we_never_call_are_not_run(
    repository: Path, git: Git, trap: Callable[[str], str], marks: Path
) -> None:
    for key in OTHERS:
        configure(git, repository, key, trap(key))
    git(repository, "rev-parse", "HEAD")  # which would fail if one of the values kept git from working
    every_call(repository)
    assert os.listdir(marks) == []


def test_all_keys_of_git_together_run_no_program(
    repository: Path, git: Git, trap: Callable[[str], str], marks: Path, git_environment: Path
) -> None:
    """In the repository's file, its worktree's, an included one, the user's, and the environment."""
    listed = git(repository, "help", "--config").split("\n")
    keys = {re.sub(r"<[^>]*>|\*", "trap", line) for line in listed if re.fullmatch(r"[\w.*<>-]+", line)}
    assert len(keys) > 500
    text = ""
    for key in sorted(keys | CONTROLS.keys() | set(OTHERS)):
        section, _, name = key.rpartition(".")
        section, dot, inner = section.partition(".")
        value = value_for(key, trap(key))
        text += f'[{section}{f" {chr(34)}{inner}{chr(34)}" if dot else ""}]\n\t{name} = "{value}"\n'
    config = repository / ".git" / "config"
    (repository / "more").write_text(text)
    with config.open("a") as file:
        file.write(f'{text}[include]\n\tpath = ../more\n[includeIf "gitdir:/"]\n\tpath = ../more\n')
    (repository / ".git" / "config.worktree").write_text(text)
    (git_environment / ".gitconfig").write_text(text)
    assert subprocess.run(["git", "status"], cwd=repository, capture_output=True, check=False).returncode
    every_call(repository)
    assert os.listdir(marks) == []


def test_the_environment_makes_git_run_nothing(
    repository: Path, trap: Callable[[str], str], marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, trap(name))
    pairs = [("log.showSignature", "true"), ("gpg.program", trap("gpg")), ("core.fsmonitor", trap("monitor"))]
    for number, (key, value) in enumerate(pairs):
        monkeypatch.setenv(f"GIT_CONFIG_KEY_{number}", key)
        monkeypatch.setenv(f"GIT_CONFIG_VALUE_{number}", value)
    monkeypatch.setenv("GIT_CONFIG_COUNT", str(len(pairs)))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'gpg.program'='{trap('gpg')}'")
    for name in ("GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR"):
        monkeypatch.setenv(name, "/nowhere")
    monkeypatch.setenv("GIT_ATTR_SOURCE", "HEAD")
    every_call(repository)
    assert os.listdir(marks) == []


def test_a_program_named_git_in_the_repository_is_not_run(
    repository: Path, trap: Callable[[str], str], marks: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (repository / "git").write_bytes(Path(trap("git")).read_bytes())
    (repository / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}:")
    every_call(repository)
    assert os.listdir(marks) == []


def test_hooks_replacements_and_grafts_are_not_seen(
    repository: Path, git: Git, trap: Callable[[str], str], marks: Path
) -> None:
    head, root = (git(repository, "rev-parse", name).strip() for name in ("HEAD", "HEAD~1"))
    git(repository, "replace", head, root)
    (repository / ".git/info/grafts").write_text(f"{head}\n")
    for name in ("post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        (repository / ".git/hooks" / name).write_bytes(Path(trap(name)).read_bytes())
        (repository / ".git/hooks" / name).chmod(0o755)
    every_call(repository)
    assert os.listdir(marks) == []


@pytest.mark.parametrize("filter", ["blob:none", "tree:0"])
def test_objects_left_out_of_a_partial_clone_are_not_fetched(
    repository: Path, git: Git, tmp_path: Path, trap: Callable[[str], str], marks: Path, filter: str
) -> None:
    git(repository, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", f"--filter={filter}", f"file://{repository}", "partial")
    partial = tmp_path / "partial"
    git(partial, "config", "remote.origin.url", f"ext::{trap('fetched')} %S")
    git(partial, "config", "protocol.ext.allow", "always")
    before = set((partial / ".git").rglob("*"))
    past = History(partial)
    ids = past.ancestors(10)
    assert ids is not None
    assert len(ids) == 2
    past.commits(ids)
    missing = git(repository, "rev-parse", "HEAD:changed.txt").strip()
    now = hand_edits.git_trace(partial, "changed.txt")
    assert hand_edits.hand_edited_paths(partial, now, now, {"changed.txt": "two\n"}) == {"changed.txt"}
    unlogged = msgspec.structs.replace(now, log=-1)
    assert hand_edits.hand_edited_paths(partial, unlogged, now, {"changed.txt": "two\n"}) == set()
    assert os.listdir(marks) == []
    assert set((partial / ".git").rglob("*")) == before
    git(partial, "cat-file", "-e", missing, check=False)
    assert os.listdir(marks) == ["fetched"]


def test_sparse_split_and_sha256_indexes_are_read(
    repository: Path, git: Git, tmp_path: Path, new_repository: Callable[..., Path]
) -> None:
    (repository / "deep").mkdir()
    (repository / "deep/a.txt").write_text("a\n")
    git(repository, "add", "deep")
    git(repository, "commit", "-qm", "deep")
    git(repository, "sparse-checkout", "set", "--cone", "--sparse-index", "other", check=False)
    assert is_tracked(repository, "deep/a.txt")
    git(repository, "sparse-checkout", "disable")
    git(repository, "update-index", "--split-index")
    assert list((repository / ".git").glob("sharedindex.*"))
    assert is_tracked(repository, "deep/a.txt")
    git(tmp_path, "init", "-q", "--object-format=sha256", "long")
    git(tmp_path / "long", "commit", "-q", "--allow-empty", "-m", "first")
    found = find_repository(tmp_path / "long")
    assert found is not None
    assert len(first_commit(found) or "") == 64


def test_only_commands_that_read_are_run(repository: Path) -> None:
    for arguments in (["fetch", "peer"], ["status"], ["-c", "x.y=z", "log"], ["trap"], ["--exec-path=/x", "log"]):
        with pytest.raises(ValueError, match="only read"):
            git_output(repository, arguments)
        with pytest.raises(ValueError, match="only read"):
            git_output(repository, arguments, b"", max_bytes=1)


def test_nothing_is_left_behind(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: Callable[[str], str]
) -> None:
    (tmp_path / "t").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "t"))
    every_call(repository)
    assert git_output(repository, ["rev-list", "nonsense"]) is None
    assert os.listdir(tmp_path / "t") == []
    assert (repository / ".git/HEAD").exists()


def test_no_other_part_starts_git() -> None:
    """Every place that starts a program is listed here."""
    starters = set()
    for path in (ROOT / "sidecar").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in (
                "subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_output", "os.system",
                "os.popen", "os.execv", "os.execvp", "os.posix_spawn", "os.spawnv",
            ):  # fmt: skip
                starters.add(path.relative_to(ROOT / "sidecar").as_posix())
            if isinstance(node, ast.List) and node.elts and ast.unparse(node.elts[0]) == "'git'":
                pytest.fail(f"{path} starts git by itself")
    assert Path(runner.__file__ or "").relative_to(ROOT / "sidecar").as_posix() in starters
    assert starters <= {
        "checkout/git.py",
        "cli/edit.py",
        "files/workers/pool.py",
        "hook_scripts/running.py",
        "hooks/run.py",
        "models/command.py",
        "runtime/process_names.py",
        "engine/ended_sessions.py",
    }
