"""Who a workspace is: the same for worktrees, clones and moved checkouts, never for same-named folders.

| the folder is | its id is made of |
|---|---|
| in a git repository | the repository's kept id (`kept_id.py`) and the inner path of the folder |
| a sub-folder of a monorepo | the same: it has a memory of its own, apart from that of the repository's top |
| in a submodule | the submodule's own kept id: it has a git directory and an origin of its own |
| in a repository that holds it only by chance (a home directory under git) | that repository's, as git sees it |
| in no repository | its real path |
| given an override in the user's settings | the override's text alone |
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import msgspec

from sidecar.checkout.kept_id import digest, kept_id
from sidecar.checkout.origin import read_origin
from sidecar.checkout.repository import find_repository


def keep(identity: Identity) -> None:
    """Keep in its repository the id that a workspace goes by, should its origin or its place change later.

    It is the only file the sidecar writes to a repository, and done once something is recorded. What was found by
    another process under an id of its own keeps that: the first one that is written stays.
    """
    repository = find_repository(identity.folder) if identity.kind == "git" else None
    if repository is not None:
        kept_id(repository.common_dir, identity.origin)


class Identity(msgspec.Struct, frozen=True):
    """The identity of one workspace folder.

    `id` and `checkout` are hex digests fit for a folder name: `id` (32 digits) names the memory, `checkout`
    (16 digits) this very working tree on this machine. `folder` is the real path; `repository` the top of the
    working tree it lies in; `inner` the POSIX path from there to `folder`, "" for the top itself; `origin` the
    normalised remote, without credentials.
    """

    id: str
    kind: Literal["git", "path", "override"]
    folder: Path
    repository: Path | None
    inner: str
    origin: str | None
    checkout: str


def identify(folder: Path, override: str | None = None) -> Identity:
    """The identity of `folder`; never raises for a folder that is missing or cannot be read. Nothing is written."""
    real = Path(os.path.realpath(folder))
    checkout = digest("checkout", str(real), size=8)
    override = (override or "").strip()
    repository = find_repository(real)
    if repository is None:
        kind: Literal["path", "override"] = "override" if override else "path"
        id = digest("override", override) if override else digest("path", str(real))
        return Identity(id, kind, real, None, "", None, checkout)
    origin = read_origin(repository.common_dir, repository.main_top)
    inner = real.relative_to(repository.top).as_posix()
    inner = "" if inner == "." else inner
    if override:
        id = digest("override", override)
        return Identity(id, "override", real, repository.top, inner, origin, checkout)
    id = digest("git", kept_id(repository.common_dir, origin, keep=False), inner)
    return Identity(id, "git", real, repository.top, inner, origin, checkout)
