"""Emacs, Helix and Vim of Debian 13, unpacked into the tests' cache and started from there."""

from __future__ import annotations

from pathlib import Path

from tests.client.debian import unpacked

RELEASE = "trixie"


def emacs(folder: Path) -> Path:
    """Emacs 30 with lsp-mode 9 and what it needs in its load path; eglot is a part of Emacs."""
    root = unpacked(RELEASE, "emacs-nox", "elpa-lsp-mode")
    share = next(root.glob("usr/share/emacs/[0-9]*"))
    lisp = [share / "lisp", *sorted(path for path in (share / "lisp").rglob("*") if path.is_dir())]
    lisp += sorted(path for path in (root / "usr/share/emacs/site-lisp/elpa-src").iterdir() if path.is_dir())
    dump = next(root.glob("usr/libexec/emacs/*/*/*.pdmp"))
    settings = {
        "EMACSLOADPATH": ":".join(map(str, lisp)),
        "EMACSDATA": str(share / "etc"),
        "EMACSDOC": str(share / "etc"),
        "EMACSPATH": str(dump.parent),
    }
    return _script(root, "usr/bin/emacs-nox", folder / "emacs", settings, f"--dump-file={dump}")


def helix(folder: Path) -> Path:
    """Helix 25.01."""
    root = unpacked(RELEASE, "hx")
    runtime = root / "usr/lib/hx/runtime"
    binary = "usr/lib/hx/hx" if (root / "usr/lib/hx/hx").exists() else "usr/bin/hx"
    return _script(root, binary, folder / "hx", {"HELIX_RUNTIME": str(runtime)})


def vim(folder: Path) -> tuple[Path, Path]:
    """Vim 9.1, and the folder of ALE 4."""
    root = unpacked(RELEASE, "vim", "vim-ale")
    runtime = next(root.glob("usr/share/vim/vim[0-9]*"))
    script = _script(root, "usr/bin/vim.basic", folder / "vim", {"VIMRUNTIME": str(runtime)})
    return script, root / "usr/share/vim-ale"


def _script(root: Path, binary: str, script: Path, settings: dict[str, str], *arguments: str) -> Path:
    loader = next(root.glob("usr/lib*/ld-linux*.so.*"))
    libraries = next(root.glob("usr/lib/*-linux-gnu"))
    lines = [f"export {name}='{value}'" for name, value in settings.items()]
    command = f"exec {loader} --argv0 {root}/{binary} --library-path {libraries} {root}/{binary}"
    script.write_text("\n".join(["#!/bin/sh", *lines, f'{command} {" ".join(arguments)} "$@"', ""]))
    script.chmod(0o755)
    return script
