"""The forge item that a mark in a text means: `#34`, `!12`, `&5`, `group/project!12`. Exact: `#12` is not `#123`."""

from __future__ import annotations

import re
from typing import Final, Literal, NamedTuple
from urllib.parse import quote

from sidecar.trackers.forge import Forge

TargetKind = Literal["issue", "mergeRequest", "epic"]

_MARK: Final = re.compile(r"(?P<place>[A-Za-z0-9_][\w.-]*(?:/[\w.-]+)*)?(?P<sign>[!#&])(?P<number>[1-9]\d{0,8})")
_KINDS: Final[dict[str, TargetKind]] = {"#": "issue", "!": "mergeRequest", "&": "epic"}


class Target(NamedTuple):
    """One item of a forge. `place` is its project, for an epic its group."""

    kind: TargetKind
    place: str
    number: int

    @property
    def key(self) -> str:
        """Return the item's name with its place, such as `group/app#12`."""
        sign = next(sign for sign, kind in _KINDS.items() if kind == self.kind)
        return f"{self.place}{sign}{self.number}"


def target_of(mark: str, forge: Forge) -> Target | None:
    """Return the item that a mark means in the forge's project; None for an item that this forge does not have."""
    match = _MARK.fullmatch(mark)
    if match is None:
        return None
    kind, place = _KINDS[match["sign"]], match["place"]
    if forge.kind == "github" and (kind != "issue" or (place is not None and place.count("/") != 1)):
        return None  # there a pull request is an issue and has its sign
    if place is None:
        place = forge.group if kind == "epic" else forge.project
    elif kind != "epic" and "/" not in place:
        return None
    if not place or any(part in (".", "..") for part in place.split("/")):
        return None
    return Target(kind, place, int(match["number"]))


def path_of(target: Target, forge: Forge) -> str:
    """Return the item's path in the API, beginning with a slash.

    GitHub: `GET /repos/{owner}/{repo}/issues/{number}`, for pull requests too. GitLab: `GET /projects/:id/issues/:iid`,
    `/projects/:id/merge_requests/:iid`, `/groups/:id/epics/:iid`, with the path as id.
    """
    if forge.kind == "github":
        owner, _, name = target.place.partition("/")
        return f"/repos/{quote(owner, safe='')}/{quote(name, safe='')}/issues/{target.number}"
    place = quote(target.place, safe="")
    if target.kind == "epic":
        return f"/groups/{place}/epics/{target.number}"
    name = "issues" if target.kind == "issue" else "merge_requests"
    return f"/projects/{place}/{name}/{target.number}"
