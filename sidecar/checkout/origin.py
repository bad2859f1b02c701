"""Read and normalise the URL of a repository's `origin` remote.

`git@github.com:a/b.git`, `ssh://git@github.com:22/a/b`, `https://user:token@GitHub.com/a/b/` and `git://github.com/a/b`
all become `github.com/a/b`. URL forms: git-fetch(1), "GIT URLS".
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from urllib.parse import unquote

from sidecar.checkout.gitconfig import read_config
from sidecar.checkout.repository import Repository
from sidecar.text.lazy_patterns import lazy

_SCHEME = lazy(r"([A-Za-z][A-Za-z0-9+.-]*)://(.*)", re.DOTALL)
_REMOTE_HELPER = lazy(r"[A-Za-z0-9][A-Za-z0-9+.-]*::")
_SCP_ADDRESS = lazy(r"(?:[^/@]*@)?(\[[^\]/]+\]|[^/:\[\]@]+):(.*)", re.DOTALL)
_DEFAULT_PORTS = {"git": "9418", "http": "80", "https": "443", "ftp": "21", "ftps": "990"}
_DEFAULT_PORTS |= dict.fromkeys(("ssh", "git+ssh", "ssh+git"), "22")


def read_origin(repository: Repository) -> str | None:
    """Return the normalised URL of `origin`, or None; the user's `insteadOf` is not applied."""
    for key, value in read_config(repository.common_dir / "config"):
        if key == "remote.origin.url" and value.strip():
            return normalise_origin(value, repository.main_top)
    return None


def normalise_origin(url: str, base: Path) -> str | None:
    """Remove scheme, credentials, default port, `.git` and trailing slash from a remote's URL.

    Return None if nothing is left. A `file://` URL, or a local path relative to `base`, becomes `file:` and the real
    path. A remote helper's URL is returned unchanged.
    """
    url = url.strip()
    if not url or "\0" in url:
        return None
    if match := _SCHEME.fullmatch(url):
        scheme = match[1].lower()
        if scheme == "file":
            path = unquote(match[2])
            slash = path.find("/")
            return _normalise_local(path[slash:], base) if slash >= 0 else None
        authority, _, path = match[2].partition("/")
        return _normalise_remote(authority.rpartition("@")[2], path, _DEFAULT_PORTS.get(scheme))
    if _REMOTE_HELPER.match(url):
        return url
    if match := _SCP_ADDRESS.fullmatch(url):
        host = match[1]
        if host.startswith("[") and host.count(":") == 1:  # [host:port]:path
            host = host[1:-1]
        return _normalise_remote(host, match[2], "22")
    return _normalise_local(url, base)


def _normalise_remote(host: str, path: str, default_port: str | None) -> str | None:
    host = host.lower()
    name, colon, port = host.rpartition(":")
    if colon and not port.endswith("]") and (not port or port == default_port):
        host = name
    path = re.sub(r"/{2,}", "/", unquote(path)).strip("/")
    path = path.removesuffix(".git").rstrip("/")
    return f"{host}/{path}" if host or path else None


def _normalise_local(path: str, base: Path) -> str:
    real = os.path.realpath(base / path)
    if not os.path.exists(real) and os.path.exists(real + ".git"):
        real += ".git"
    if os.path.basename(real) == ".git":
        real = os.path.dirname(real)
    return "file:" + real
