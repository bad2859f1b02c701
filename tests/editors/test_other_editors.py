"""The configurations for other editors: each file is read by what it is for or by its parser, and its command spawned.

Emacs 30 (eglot and lsp-mode), Helix 25 and Vim 9 with ALE 4 run for real. Kate, Sublime Text, vim-lsp, coc.nvim and
JetBrains do not: their files are parsed.
"""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.client import other_editors
from tests.client.installed import cache, venv
from tests.client.json_value import Json, document
from tests.client.stdio_client import StdioClient
from tests.client.terminal import Terminal
from tests.editors.conftest import AgentProject

EDITORS = Path(__file__).resolve().parents[2] / "editors"
SECONDS = 900

# The first test of an editor installs it.
pytestmark = pytest.mark.timeout(3_000)

EMACS = """\
(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)
(setq make-backup-files nil create-lockfiles t vc-handled-backends '(Git) lsp-restart 'ignore)
(require 'json)
(require 'jsonrpc)
(setq jsonrpc-default-request-timeout 200 lsp-response-timeout 200)
(add-to-list 'load-path "{package}")
(require 'memory-sidecar)
(defvar told nil)
(defun tell (key value) (push (cons key value) told))
(defun until (fact)
  (let ((end (+ (float-time) 200)) found)
    (while (and (not (setq found (funcall fact))) (< (float-time) end)) (accept-process-output nil 0.05))
    found))
(defun visit (name) (switch-to-buffer (find-file-noselect (expand-file-name name "{folder}"))))
{body}
(princ (concat "TOLD " (json-encode told) "\\n"))
"""

# rass goes on without a server that answers three seconds after another, as either may on a busy machine.
PATIENT = """\
from rassumfrassum.frassum import LspLogic


class Patient(LspLogic):
    def get_aggregation_timeout_ms(self, method):
        return 300_000
"""

# What ElDoc would show at point, a command with a prompt, code actions as a person picks them, and MEMORY.md.
EGLOT = """\
(require 'eglot)
(setq eglot-sync-connect 200 eglot-connect-timeout 300)
(setq eglot-confirm-server-initiated-edits nil eglot-confirm-server-edits nil)
(visit "notes.txt")
(tell 'guess (format "%s" (nth 3 (eglot--guess-contact))))
(setq memory-sidecar-multiplexer '("env" "PYTHONPATH={home}" "{rass}" "--logic-class" "patient.Patient"))
(memory-sidecar-eglot-beside 'python-mode "{python}" "-m" "pylsp")
(visit "letters.py")
(python-mode)
(apply #'eglot (eglot--guess-contact))
(until #'eglot-current-server)
(tell 'server (plist-get (eglot--server-info (eglot-current-server)) :name))
(defun at (text) (goto-char (point-min)) (search-forward text))
(at "def greet3")
(defun hover ()
  (let ((found (jsonrpc-request (eglot-current-server) :textDocument/hover (eglot--TextDocumentPositionParams))))
    (format "%s" (plist-get found :contents))))
(tell 'hover (until (lambda () (let ((found (hover))) (and (string-match-p "Greet" found) found)))))
(memory-sidecar-record "`letters.py::greet3` is the form for friends.")
(memory-sidecar-file)
(tell 'remembered (with-current-buffer "*memory-sidecar file*" (buffer-string)))
(tell 'actions (format "%s" (mapcar (lambda (one) (plist-get one :title)) (eglot-code-actions (point) nil))))
(until (lambda () (file-exists-p (expand-file-name ".agents/MEMORY.md" "{folder}"))))
(cl-letf (((symbol-function 'completing-read) (lambda (_ choices &rest _) (caar choices))))
  (memory-sidecar-search "friends"))
(tell 'file (file-name-nondirectory buffer-file-name))
(visit "letters.py")
(memory-sidecar-inject "form for friends")
(tell 'injected (with-current-buffer "*memory-sidecar inject*" (buffer-string)))
(memory-sidecar-summary)
(tell 'summary (with-current-buffer "*memory-sidecar summary*" (buffer-string)))
(eglot-shutdown (eglot-current-server))
"""

LSP_MODE = """\
(require 'lsp-mode)
(require 'lsp-lens)
(setq lsp-session-file "{home}/lsp-session" lsp-enable-file-watchers nil lsp-client-packages nil
      lsp-auto-guess-root t lsp-keep-workspace-alive nil lsp-lens-debounce-interval 0.01)
(visit "letters.py")
(python-mode)
(lsp-workspace-folders-add "{folder}")
(lsp)
(tell 'ready (not (null (until (lambda () (and (lsp-find-workspace 'memory-sidecar nil)
                                   (eq 'initialized (lsp--workspace-status
                                                     (lsp-find-workspace 'memory-sidecar nil)))))))))
(goto-char (point-min))
(search-forward "def greet3")
(memory-sidecar-record "`letters.py::greet3` is the form for friends.")
(defun hover () (format "%S" (lsp-request "textDocument/hover" (lsp--text-document-position-params))))
(tell 'remembered (until (lambda () (let ((found (hover))) (and (string-match-p "for friends" found) found)))))
(tell 'lenses (format "%S" (lsp-request "textDocument/codeLens"
                             `(:textDocument ,(lsp--text-document-identifier)))))
(tell 'actions (format "%S" (lsp-code-actions-at-point)))
"""


def commented(text: str) -> Json:
    """JSON with comments and commas behind the last item."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    return document(re.sub(r",(\s*[}\]])", r"\1", text))


def commands() -> dict[str, list[str]]:
    """How each configuration starts the sidecar."""
    helix = tomllib.loads((EDITORS / "helix/languages.toml").read_text())
    kate = json.loads((EDITORS / "kate/settings.json").read_text())
    sublime = commented((EDITORS / "sublime/LSP.sublime-settings").read_text())
    coc = json.loads((EDITORS / "vim/coc-settings.json").read_text())["languageserver"]["memory-sidecar"]
    jetbrains = json.loads((EDITORS / "jetbrains/template.json").read_text())
    server = helix["language-server"]["memory-sidecar"]
    vim_lsp = re.search(r"'cmd': \{info -> (\[.*?\])\}", (EDITORS / "vim/vim-lsp.vim").read_text())
    assert vim_lsp is not None
    lisp = re.search(r"defcustom memory-sidecar-command '\((.*?)\)", (EDITORS / "emacs/memory-sidecar.el").read_text())
    assert lisp is not None
    assert all("memory-sidecar" in json.dumps(one["language-servers"]) for one in helix["language"])
    return {
        "emacs": json.loads(f"[{lisp[1].replace(' ', ', ')}]"),
        "helix": [server["command"], *server["args"]],
        "jetbrains": jetbrains["programArgs"]["default"].split(),
        "kate": kate["servers"]["markdown"]["command"],
        "sublime": sublime["clients"]["memory-sidecar"]["command"],
        "vim-coc": [coc["command"], *coc["args"]],
        "vim-lsp": json.loads(vim_lsp[1].replace("'", '"')),
    }


def test_every_command_starts_the_server(project: AgentProject) -> None:
    known = commands()
    assert set(map(tuple, known.values())) == {("memory-sidecar", "serve")}, known
    with StdioClient(known["kate"], cwd=project.folder, env=project.environment()) as client:
        info = client.initialize(project.folder)["serverInfo"]
    assert info["name"] == "memory-sidecar"


def test_the_page_tells_of_every_editor() -> None:
    page = (EDITORS / "README.md").read_text()
    for name in ("emacs", "helix", "jetbrains", "kate", "neovim", "sublime", "vim", "vscode", "zed"):
        assert f"]({name}/" in page, f"{name} is not linked from editors/README.md"
    for link in re.findall(r"\]\(([^):#]+)\)", page):
        assert (EDITORS / link).exists(), link


# -- Emacs ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def emacs() -> Path:
    folder = cache() / "other-editors"
    folder.mkdir(parents=True, exist_ok=True)
    return other_editors.emacs(folder)


def run_emacs(emacs: Path, project: AgentProject, body: str, **names: object) -> Json:
    text = body
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", str(value))
    script = project.home / "drive.el"
    filled = EMACS.replace("{body}", text).replace("{package}", str(EDITORS / "emacs"))
    script.write_text(filled.replace("{folder}", f"{project.folder}/").replace("{home}", str(project.home)))
    done = subprocess.run(
        [str(emacs), "-Q", "--batch", "-l", str(script)],
        cwd=project.folder,
        env=project.environment(),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    (told,) = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")] or [""]
    assert told, f"{done.stdout[-2000:]}\n{done.stderr[-3000:]}"
    found: Json = json.loads(told[5:])
    return found


def test_the_emacs_package_compiles_without_a_warning(emacs: Path, project: AgentProject) -> None:
    source = EDITORS / "emacs/memory-sidecar.el"
    strict = '(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (_) "%s"))'
    check = f'(progn (require \'checkdoc) (checkdoc-file "{source}"))'
    compiled = project.home / "memory-sidecar.elc"
    for arguments in (["--eval", strict % compiled, "-f", "batch-byte-compile", str(source)], ["--eval", check]):
        done = subprocess.run(
            [str(emacs), "-Q", "--batch", *arguments],
            env=project.environment(),
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "arning" not in done.stderr
    assert compiled.exists()


def test_emacs_with_eglot_beside_another_server(emacs: Path, project: AgentProject) -> None:
    python = venv("rassumfrassum", "rassumfrassum==0.3.5", "python-lsp-server==1.13.1")
    (project.home / "patient.py").write_text(PATIENT)
    told = run_emacs(emacs, project, EGLOT, python=python, rass=python.parent / "rass")
    assert told["guess"] == "(memory-sidecar serve)"
    assert "Greet somebody, form 3" in told["hover"]  # of the language's own server
    assert "for friends" in told["remembered"]
    assert "Remember something about greet3" in told["actions"]
    assert told["file"] == "MEMORY.md"
    assert "for friends" in told["injected"]
    assert "Writes letters" in told["summary"]


def test_emacs_with_lsp_mode(emacs: Path, project: AgentProject) -> None:
    told = run_emacs(emacs, project, LSP_MODE)
    assert told["ready"]
    assert "for friends" in told["remembered"]
    assert "1 memory" in told["lenses"]
    assert "Remember something about greet3" in told["actions"]


def patiently(terminal: Terminal, keys: str, pattern: str, back: str) -> None:
    """Press keys until something is seen; a server that has just been started may have nothing to say yet."""
    for _ in range(12):
        terminal.keys(keys)
        try:
            terminal.wait(pattern, seconds=15)
        except AssertionError:
            terminal.keys(back)
            terminal.taken()
        else:
            return
    terminal.wait(pattern, seconds=1)


def escape(terminal: Terminal) -> None:
    """Escape by itself: with what follows at once it would be another key."""
    terminal.keys("\x1b")
    terminal.taken()


# -- Helix ---------------------------------------------------------------------------------------------------------


def test_helix_shows_a_memory_on_hover(project: AgentProject) -> None:
    folder = cache() / "other-editors"
    folder.mkdir(parents=True, exist_ok=True)
    helix = other_editors.helix(folder)
    configuration = project.home / ".config/helix"
    configuration.mkdir(parents=True)
    (configuration / "languages.toml").write_text((EDITORS / "helix/languages.toml").read_text())
    project.sidecar("record", "`letters.py::greet3` is the form for friends.")
    line = 1 + (project.folder / "letters.py").read_text().split("\n").index("def greet3(name: str) -> str:")
    # No other server: Helix 25.01 asks the first of a language's servers for a hover.
    environment = project.environment(TERM="xterm-256color", PATH=f"{project.bin}:/usr/bin:/bin")
    terminal = Terminal([str(helix), f"letters.py:{line}:7"], environment, project.folder)
    try:
        terminal.wait("def greet3")
        patiently(terminal, " k", "form for friends", "\x1b")
        terminal.wait(r"Memory .*recorded 20")
        escape(terminal)
        terminal.wait("form for friends", gone=True)
        patiently(terminal, " a", "Remember something about greet3", "\x1b")
        escape(terminal)
        terminal.keys(":lsp-workspace-command memorySidecar.status\r")
        terminal.wait("is running")
        terminal.keys(" S")
        terminal.wait("kind")
        terminal.keys("friends")
        terminal.wait("string .*greet3")
        escape(terminal)
        terminal.keys(":q!\r")
        terminal.ended()
    finally:
        terminal.close()


# -- Vim -----------------------------------------------------------------------------------------------------------


def test_vim_with_ale(project: AgentProject) -> None:
    folder = cache() / "other-editors"
    folder.mkdir(parents=True, exist_ok=True)
    vim, ale = other_editors.vim(folder)
    project.sidecar("record", "`letters.py::greet3` is the form for friends.")
    vimrc = project.home / "vimrc"
    vimrc.write_text(
        f"set nocompatible noswapfile nomore\nset runtimepath+={ale}\nfiletype plugin on\n"
        f"source {EDITORS}/vim/ale.vim\nlet g:ale_linters = {{'python': ['memory-sidecar']}}\n"
    )
    environment = project.environment(TERM="linux")  # for xterm, Vim asks what the tests' terminal cannot answer
    command = [str(vim), "-N", "-u", str(vimrc), "-i", "NONE", "+/def greet3/", "letters.py"]
    terminal = Terminal(command, environment, project.folder)
    try:
        terminal.wait("def greet3")
        patiently(terminal, ":call search('greet3', 'cw')\r:ALEHover\r", "form for friends", "")
        terminal.keys("\r:qa!\r")
        terminal.ended()
    finally:
        terminal.close()


def test_the_vim_scripts_are_read_by_vim(project: AgentProject) -> None:
    folder = cache() / "other-editors"
    folder.mkdir(parents=True, exist_ok=True)
    vim, _ = other_editors.vim(folder)
    registered = project.home / "registered.json"
    stub = project.home / "autoload/lsp.vim"
    stub.parent.mkdir()
    stub.write_text(
        "function! lsp#register_server(server) abort\n"
        "  let l:known = {'name': a:server.name, 'cmd': a:server.cmd({}), 'allowlist': a:server.allowlist}\n"
        f"  call writefile([json_encode(l:known)], '{registered}')\nendfunction\n"
    )
    script = EDITORS / "vim/vim-lsp.vim"
    run = [str(vim), "-Nes", "-u", "NONE", "-i", "NONE", f"+set rtp+={project.home}", f"+source {script}"]
    subprocess.run([*run, "+doautocmd User lsp_setup", "+qa!"], env=project.environment(), check=True, timeout=SECONDS)
    found = json.loads(registered.read_text())
    assert found == {"name": "memory-sidecar", "cmd": ["memory-sidecar", "serve"], "allowlist": ["*"]}
