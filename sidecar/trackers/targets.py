"""The forge item that a mark in a text means: `#34`, `!12`, `&5`, `group/project!12`. Exact: `#12` is not `#123`."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

from sidecar.trackers.forge import Forge

TargetKind = Literal["issue", "mergeRequest", "epic"]

_MARK: Final = re.compile(r"(?P<namespace>[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*)?(?P<sign>[!#&])(?P<number>[1-9]\d{0,8})")
_KINDS: Final[dict[str, TargetKind]] = {"#": "issue", "!": "mergeRequest", "&": "epic"}


class Target(NamedTuple):
    """One item of a forge. `namespace` is its project, for an epic its group."""

    kind: TargetKind
    namespace: str
    number: int

    @property
    def key(self) -> str:
        """Return the item's name with its namespace, such as `group/app#12`."""
        sign = next(sign for sign, kind in _KINDS.items() if kind == self.kind)
        return f"{self.namespace}{sign}{self.number}"


def target_of(mark: str, forge: Forge) -> Target | None:
    """Return the item that a mark means in the forge's project; None for an item that this forge does not have."""
    match = _MARK.fullmatch(mark)
    if match is None:
        return None
    kind, namespace = _KINDS[match["sign"]], match["namespace"]
    if forge.kind == "github" and (kind != "issue" or (namespace is not None and namespace.count("/") != 1)):
        return None  # there a pull request is an issue and has its sign
    if namespace is None:
        namespace = forge.group if kind == "epic" else forge.project
    elif kind != "epic" and "/" not in namespace:
        return None
    if not namespace or any(part in (".", "..") for part in namespace.split("/")):
        return None
    return Target(kind, namespace, int(match["number"]))


def path_of(target: Target, forge: Forge) -> str:
    """Return the item's path in the API, beginning with a slash.

    GitHub: `GET /repos/{owner}/{repo}/issues/{number}`, for pull requests too. GitLab: `GET /projects/:id/issues/:iid`,
    `/projects/:id/merge_requests/:iid`, `/groups/:id/epics/:iid`, with the path as id.
    """
    if forge.kind == "github":
        owner, _, name = target.namespace.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}/issues/{target.number}"
    namespace = quote(target.namespace, safe="")
    if target.kind == "epic":
        return f"/groups/{namespace}/epics/{target.number}"
    name = "issues" if target.kind == "issue" else "merge_requests"
    return f"/projects/{namespace}/{name}/{target.number}"
