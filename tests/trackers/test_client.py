"""One GET against a real local server: shapes of both forges, limits, refusals, and failures."""

from __future__ import annotations

import time
from email.utils import formatdate

import pytest

from sidecar.trackers.client import MAX_ANSWER_BYTES, ForgeAnswer, ForgeClient, Unreachable
from sidecar.trackers.forge import Forge
from sidecar.trackers.parsing import MAX_LABELS, MAX_TITLE_CHARS, Unusable, parse_item
from sidecar.trackers.targets import Target, path_of, target_of
from tests.trackers.forge_server import ForgeServer, Reply, Shape

TOKEN = "glpat-0123456789abcdef"


def gitlab(server: ForgeServer) -> Forge:
    return Forge("gitlab", "127.0.0.1", f"{server.url}/api/v4", "group/app", TOKEN)


def github(server: ForgeServer) -> Forge:
    return Forge("github", "127.0.0.1", f"{server.url}/api/v3", "group/app", TOKEN)


def aim(mark: str, forge: Forge) -> tuple[Target, str]:
    target = target_of(mark, forge)
    assert target is not None
    return target, path_of(target, forge)


@pytest.mark.parametrize(
    ("mark", "name", "path", "expected"),
    [
        ("#12", "gitlab-issue", "/api/v4/projects/group%2Fapp/issues/12", ("issue", "open", ("bug", "urgent"))),
        ("!3", "gitlab-merge-request", "/api/v4/projects/group%2Fapp/merge_requests/3", ("mergeRequest", "merged", ())),
        ("&5", "gitlab-epic", "/api/v4/groups/group/epics/5", ("epic", "open", ("parser",))),
        ("#12", "github-issue", "/api/v3/repos/group/app/issues/12", ("issue", "open", ("bug", "urgent"))),
        ("#13", "github-pull-request", "/api/v3/repos/group/app/issues/13", ("mergeRequest", "merged", ())),
    ],
)
def test_items_of_both_forges_are_parsed(
    server: ForgeServer, reply: type[Reply], shape: Shape, mark: str, name: str, path: str, expected: tuple[object, ...]
) -> None:
    server.replies[path] = reply(200, shape(name), {"ETag": 'W/"abc"'})
    forge = gitlab(server) if name.startswith("gitlab") else github(server)
    target, where = aim(mark, forge)
    answer = ForgeClient(forge).get(where)
    assert (answer.status, answer.etag, answer.wait) == (200, 'W/"abc"', None)
    item = parse_item(forge.kind, target, answer.body)
    assert (item.kind, item.state, item.labels) == expected
    assert item.title == shape(name)["title"]
    assert item.author in ("ada", "octocat")
    assert item.updated_at is not None
    assert (item.closed_at is not None) == (item.state != "open")
    (seen,) = server.seen
    assert seen[0] == path
    assert seen[1].get("private-token" if forge.kind == "gitlab" else "authorization") in (TOKEN, f"Bearer {TOKEN}")


def test_a_tag_makes_the_second_question_cheap(server: ForgeServer, reply: type[Reply], shape: Shape) -> None:
    def answer(headers: dict[str, str]) -> Reply:
        known = headers.get("if-none-match") == '"v1"'
        return reply(304, b"", {"ETag": '"v1"'}) if known else reply(200, shape("github-issue"), {"ETag": '"v1"'})

    server.replies["/api/v3/repos/group/app/issues/12"] = answer
    client = ForgeClient(github(server))
    first = client.get("/repos/group/app/issues/12")
    assert client.get("/repos/group/app/issues/12", first.etag) == ForgeAnswer(304, b"", '"v1"', None)


@pytest.mark.parametrize("status", [401, 403, 404, 410, 500, 502, 503])
def test_a_refusal_of_the_forge_is_an_answer(server: ForgeServer, reply: type[Reply], status: int) -> None:
    server.replies["/api/v4/x"] = reply(status, {"message": "no"})
    assert ForgeClient(gitlab(server)).get("/x") == ForgeAnswer(status)


@pytest.mark.parametrize(
    ("status", "headers", "low", "high"),
    [
        (429, {"Retry-After": "77"}, 77, 77),
        (429, {"Retry-After": "a date"}, 500, 601),
        (429, {}, 60, 60),
        (403, {"Retry-After": "30"}, 30, 30),
        (403, {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "{900}"}, 800, 901),
        (200, {"RateLimit-Limit": "600", "RateLimit-Remaining": "60", "RateLimit-Reset": "{30}"}, 20, 31),
        (200, {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "5"}, 1, 1),
    ],
)
def test_rate_limits_are_read_from_headers(
    server: ForgeServer, reply: type[Reply], status: int, headers: dict[str, str], low: float, high: float
) -> None:
    sent = {
        name: formatdate(time.time() + 600, usegmt=True)
        if text == "a date"
        else str(int(time.time()) + int(text[1:-1]))
        if text.startswith("{")
        else text
        for name, text in headers.items()
    }
    server.replies["/api/v4/x"] = reply(status, {}, sent)
    wait = ForgeClient(gitlab(server)).get("/x").wait
    assert wait is not None
    assert low <= wait <= high


@pytest.mark.parametrize(
    "headers",
    [
        {"X-RateLimit-Limit": "5000", "X-RateLimit-Remaining": "4000", "X-RateLimit-Reset": "9999999999"},
        {"X-RateLimit-Remaining": "x", "X-RateLimit-Reset": "-1"},
        {"Retry-After": "100"},
        {},
    ],
)
def test_an_answer_within_the_rate_limit_asks_for_no_wait(
    server: ForgeServer, reply: type[Reply], headers: dict[str, str]
) -> None:
    server.replies["/api/v4/x"] = reply(200, {}, headers)
    assert ForgeClient(gitlab(server)).get("/x").wait is None


def test_a_redirect_to_another_host_is_not_followed(
    server: ForgeServer, other_server: ForgeServer, reply: type[Reply], shape: Shape
) -> None:
    other_server.replies["/api/v4/x"] = reply(200, shape("gitlab-issue"))
    for location in (
        f"{other_server.url}/api/v4/x",
        f"//127.0.0.1:{other_server.port}/api/v4/x",
        f"http://localhost:{server.port}/api/v4/x",
        f"http://u:p@127.0.0.1:{server.port}/api/v4/x",
        "http://127.0.0.1:99999/api/v4/x",
        "/elsewhere",
        "",
    ):
        server.replies["/api/v4/x"] = reply(302, b"", {"Location": location})
        with pytest.raises(Unusable):
            ForgeClient(gitlab(server)).get("/x")
    assert other_server.seen == []


def test_a_redirect_inside_the_api_is_followed_but_not_for_ever(
    server: ForgeServer, reply: type[Reply], shape: Shape
) -> None:
    server.replies["/api/v3/repos/old/app/issues/12"] = reply(
        301, b"", {"Location": f"{server.url}/api/v3/repositories/7/issues/12"}
    )
    server.replies["/api/v3/repositories/7/issues/12"] = reply(200, shape("github-issue"))
    assert ForgeClient(github(server)).get("/repos/old/app/issues/12").status == 200
    server.replies["/api/v3/round"] = reply(302, b"", {"Location": "/api/v3/round"})
    with pytest.raises(Unusable, match="too often"):
        ForgeClient(github(server)).get("/round")


def test_slow_cut_huge_and_absent_answers(server: ForgeServer, reply: type[Reply]) -> None:
    server.replies["/api/v4/slow"] = reply(200, b"{}", delay=300)
    server.replies["/api/v4/drip"] = reply(200, b" " * 500, drip=0.05)
    server.replies["/api/v4/cut"] = reply(200, b"{", cut=True)
    server.replies["/api/v4/huge"] = reply(200, b" " * (MAX_ANSWER_BYTES + 70_000))
    forge = gitlab(server)
    for path in ("/slow", "/drip"):
        with pytest.raises(Unreachable, match="in time"):
            ForgeClient(forge, 0.3).get(path)
    with pytest.raises(Unreachable, match=r"too early|in time|cannot be reached"):
        ForgeClient(forge, 5).get("/cut")
    with pytest.raises(Unusable, match="more than"):
        ForgeClient(forge).get("/huge")
    nobody = Forge("gitlab", "127.0.0.1", "http://127.0.0.1:1/api/v4", "group/app", TOKEN)
    with pytest.raises(Unreachable, match="cannot be reached") as caught:
        ForgeClient(nobody).get("/x")
    assert TOKEN not in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"<html>Sign in</html>",
        b'{"state": "opened"}',
        b'{"state": "opened", "title": 7, "iid": 12}',
        b'{"state": "dancing", "title": "x", "iid": 12}',
        b'{"state": "closed", "title": "another", "iid": 123}',
        b"[" * 100_000,
    ],
)
def test_malformed_answers_are_recognised(body: bytes) -> None:
    with pytest.raises(Unusable):
        parse_item("gitlab", Target("issue", "group/app", 12), body)


def test_text_by_people_is_kept_short_and_plain(shape: Shape) -> None:
    import json

    evil = shape(
        "gitlab-issue",
        title="a\nb\x1b[31m " + "x" * 5_000,
        labels=["l" * 500] * 100 + [None, 3, {"name": "n"}],
        author="nobody",
        web_url="javascript:alert(1)",
        updated_at="yesterday",
        state="closed",
        closed_at="0001-01-01T00:00:00Z",
    )
    item = parse_item("gitlab", Target("issue", "group/app", 12), json.dumps(evil).encode())
    assert len(item.title) <= MAX_TITLE_CHARS
    assert item.title.isprintable()
    assert len(item.labels) == MAX_LABELS
    assert max(map(len, item.labels)) <= 100
    assert (item.author, item.url, item.updated_at, item.closed_at) == (None, None, None, None)
    secret = "ghp_" + "x7Kq2mVb9TzR4nWc8YpL3sDf6HgJ1aEo5UiQ"
    body = json.dumps(shape("gitlab-issue", title=f"Token {secret} leaks")).encode()
    assert secret not in parse_item("gitlab", Target("issue", "group/app", 12), body).title
