"""Find the forge that a repository comes from, and its API.

A token goes only to the host in the user's own settings. So nobody can obtain it by an `origin`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import urlsplit

from xxhash import xxh3_64_hexdigest

from sidecar.models.http_request import is_local
from sidecar.settings.model import TrackerSettings

ForgeProduct = Literal["gitlab", "github"]

_API_PATH = {"gitlab": "/api/v4", "github": "/api/v3"}


@dataclass(frozen=True)
class Forge:
    """One API and this workspace's project. `api` has no trailing slash."""

    kind: ForgeProduct
    host: str
    api: str
    project: str
    token: str = field(repr=False)

    @property
    def group(self) -> str:
        return self.project.rpartition("/")[0]

    @property
    def account(self) -> str:
        """Return a key of host and token, which does not reveal the token. Each token has its own rate limits."""
        return f"{self.host} {xxh3_64_hexdigest(self.token.encode())[:8]}"

    def headers(self) -> dict[str, str]:
        if self.kind == "gitlab":
            return {"Accept": "application/json", "PRIVATE-TOKEN": self.token}
        return {
            "Accept": "application/vnd.github+json",
            "Authorization": f"Bearer {self.token}",
            "X-GitHub-Api-Version": "2022-11-28",
        }


@dataclass(frozen=True)
class NoForge:
    """Why nothing is requested. If the user `wanted` enrichment, the reason should be shown."""

    reason: str
    wanted: bool = True


def forge_of(origin: str | None, settings: TrackerSettings, environ: Mapping[str, str]) -> Forge | NoForge:
    """Return the forge of a repository with this normalised `origin`, or the reason why there is none."""
    if not settings.enabled:
        return NoForge("Enrichment is off: trackers.enabled is false.", wanted=False)
    if origin is None or origin.startswith("file:"):
        return NoForge("This repository has no origin on a forge.")
    address, _, path = origin.partition("/")
    host = _host(address)
    choices: tuple[tuple[ForgeProduct, str, str | None, str], ...] = (
        ("gitlab", settings.gitlab_url, settings.gitlab_token, settings.gitlab_token_variable),
        ("github", settings.github_url, settings.github_token, settings.github_token_variable),
    )
    for kind, url, own, variable in choices:
        try:
            base = urlsplit(url.rstrip("/"))
            usable = base.port != 0
        except ValueError:
            usable = False
        if not usable:
            return NoForge(f"trackers.{kind}Url is not a URL.")
        if host is None or host != (base.hostname or "").lower():
            continue
        if base.scheme != "https" and not is_local(base.hostname or ""):
            return NoForge(f"trackers.{kind}Url is not encrypted, so the token would be sent unencrypted: use https.")
        token = (own or environ.get(variable, "")).strip()
        if not token:
            return NoForge(f"No token: set {variable}, or trackers.{kind}Token in your own settings.")
        if not (token.isascii() and token.isprintable()) or " " in token:
            return NoForge(f"The token of {host} holds characters that no token has.")
        inner = base.path.strip("/").removesuffix(_API_PATH[kind].strip("/")).strip("/")
        project = path.removeprefix(f"{inner}/") if inner else path
        if "/" not in project or (kind == "github" and project.count("/") != 1):
            return NoForge(f"origin names no project of {host}.")
        return Forge(kind, host, _api(kind, base.scheme, base.netloc, inner), project, token)
    named = ", ".join(urlsplit(url).hostname or url for _, url, _, _ in choices)
    return NoForge(f"origin is at {host or 'no host'}, which is neither of the hosts in your settings ({named}).")


def project_of(origin: str | None) -> str | None:
    """Return `group/name` of a repository on its forge; None for a local repository."""
    if origin is None or _host(origin.partition("/")[0]) is None:
        return None
    project = origin.partition("/")[2]
    return project if "/" in project else None


def _host(address: str) -> str | None:
    """Return the host of `host` or `host:port`; None for any other address."""
    try:
        url = urlsplit(f"//{address}")
        return None if address.endswith(":") or url.port == 0 else url.hostname
    except ValueError:
        return None


def _api(kind: ForgeProduct, scheme: str, netloc: str, inner: str) -> str:
    if kind == "github" and netloc.lower() == "github.com":
        return "https://api.github.com"
    if kind == "github" and netloc.lower().endswith(".ghe.com"):
        return f"{scheme}://api.{netloc}"
    return f"{scheme}://{netloc}{f'/{inner}' if inner else ''}{_API_PATH[kind]}"
