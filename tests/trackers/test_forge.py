"""The forge of a repository's origin, whose token it gets, and what a mark means there."""

from __future__ import annotations

import msgspec
import pytest

from sidecar.settings.model import TrackerSettings
from sidecar.trackers.forge import Forge, NoForge, forge_of, project_of
from sidecar.trackers.targets import path_of, target_of

TOKENS = {"GITLAB_TOKEN": "glpat-x", "GITHUB_TOKEN": "ghp-x"}


def on(**fields: object) -> TrackerSettings:
    return msgspec.convert({"enabled": True, **fields}, TrackerSettings)


def made(origin: str, settings: TrackerSettings | None = None) -> Forge:
    found = forge_of(origin, settings or on(), TOKENS)
    assert isinstance(found, Forge), found
    return found


@pytest.mark.parametrize(
    ("origin", "fields", "kind", "api", "project"),
    [
        ("github.com/group/app", {}, "github", "https://api.github.com", "group/app"),
        ("gitlab.com/group/sub/app", {}, "gitlab", "https://gitlab.com/api/v4", "group/sub/app"),
        (
            "git.corp.example/g/app",
            {"gitlabUrl": "https://git.corp.example"},
            "gitlab",
            "https://git.corp.example/api/v4",
            "g/app",
        ),
        (
            "git.corp.example:2222/g/app",
            {"gitlabUrl": "https://git.corp.example:8443/"},
            "gitlab",
            "https://git.corp.example:8443/api/v4",
            "g/app",
        ),
        (
            "corp.example/gitlab/g/app",
            {"gitlabUrl": "https://corp.example/gitlab"},
            "gitlab",
            "https://corp.example/gitlab/api/v4",
            "g/app",
        ),
        (
            "ghe.corp.example/g/app",
            {"githubUrl": "https://ghe.corp.example/api/v3"},
            "github",
            "https://ghe.corp.example/api/v3",
            "g/app",
        ),
        ("acme.ghe.com/g/app", {"githubUrl": "https://acme.ghe.com"}, "github", "https://api.acme.ghe.com", "g/app"),
        ("127.0.0.1:99/g/app", {"gitlabUrl": "http://127.0.0.1:99"}, "gitlab", "http://127.0.0.1:99/api/v4", "g/app"),
    ],
)
def test_the_api_of_an_origin(origin: str, fields: dict[str, object], kind: str, api: str, project: str) -> None:
    forge = made(origin, on(**fields))
    assert (forge.kind, forge.api, forge.project) == (kind, api, project)
    assert forge.token == TOKENS[f"{kind.upper()}_TOKEN"]
    assert forge.token not in repr(forge)
    assert forge.token not in forge.account


@pytest.mark.parametrize(
    ("origin", "fields"),
    [
        (None, {}),
        ("file:/srv/git/app", {}),
        ("github.com.evil.example/group/app", {}),
        ("evil.example/github.com/app", {}),
        ("gitlab.com/app", {}),
        ("github.com/a/b/c", {}),
        ("git.corp.example/g/app", {"gitlabUrl": "http://git.corp.example"}),
        ("127.0.0.1.evil.example/g/app", {"gitlabUrl": "http://127.0.0.1.evil.example"}),
        ("github.com/group/app", {"githubTokenVariable": "NOT_THERE"}),
        ("github.com/group/app", {"githubToken": "a\nb"}),
        ("ext::sh -c evil/a/b", {}),
    ],
)
def test_no_token_goes_anywhere_else(origin: str | None, fields: dict[str, object]) -> None:
    found = forge_of(origin, on(**fields), TOKENS)
    assert isinstance(found, NoForge)
    assert found.wanted
    assert found.reason


def test_no_forge_is_used_unless_enrichment_is_enabled() -> None:
    found = forge_of("github.com/group/app", TrackerSettings(), TOKENS)
    assert found == NoForge("Enrichment is off: trackers.enabled is false.", wanted=False)


@pytest.mark.parametrize(
    ("origin", "project"),
    [
        ("github.com/a/b", "a/b"),
        ("git.corp.example:2222/a/b/c", "a/b/c"),
        ("file:/srv/x", None),
        ("github.com/a", None),
        (None, None),
    ],
)
def test_the_project_of_an_origin(origin: str | None, project: str | None) -> None:
    assert project_of(origin) == project


@pytest.mark.parametrize(
    ("mark", "path"),
    [
        ("#12", "/projects/group%2Fapp/issues/12"),
        ("!3", "/projects/group%2Fapp/merge_requests/3"),
        ("&5", "/groups/group/epics/5"),
        ("other/sub/app!7", "/projects/other%2Fsub%2Fapp/merge_requests/7"),
        ("group/sub&5", "/groups/group%2Fsub/epics/5"),
        ("acme&5", "/groups/acme/epics/5"),
        ("acme#5", None),
        ("../x#5", None),
        ("@ada", None),
        ("#0", None),
        ("#12x", None),
    ],
)
def test_marks_of_gitlab_become_targets(mark: str, path: str | None) -> None:
    forge = made("gitlab.com/group/app")
    target = target_of(mark, forge)
    assert (path_of(target, forge) if target else None) == path


@pytest.mark.parametrize(
    ("mark", "path"),
    [
        ("#12", "/repos/group/app/issues/12"),
        ("other/x.y#1", "/repos/other/x.y/issues/1"),
        ("a/b/c#1", None),
        ("!3", None),
        ("&5", None),
    ],
)
def test_marks_of_github_become_targets(mark: str, path: str | None) -> None:
    forge = made("github.com/group/app")
    target = target_of(mark, forge)
    assert (path_of(target, forge) if target else None) == path


def test_all_spellings_of_an_item_have_one_key() -> None:
    forge = made("gitlab.com/group/app")
    keys = {mark: target.key for mark in ("#12", "group/app#12", "#123", "group/app!12", "&5", "group&5")
            if (target := target_of(mark, forge))}  # fmt: skip
    assert keys["#12"] == keys["group/app#12"] == "group/app#12"
    assert keys["&5"] == keys["group&5"] == "group&5"
    assert len(set(keys.values())) == 4


@pytest.mark.parametrize("url", ["https://[", "https://gitlab.com:99999"])
def test_an_invalid_address_switches_enrichment_off(url: str) -> None:
    found = forge_of("gitlab.com/group/app", on(gitlabUrl=url, gitlabToken="x"), {})
    assert isinstance(found, NoForge)
    assert "trackers.gitlabUrl" in found.reason
