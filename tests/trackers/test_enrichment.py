"""What a forge says about the items that memories name, through the engine, against a local server."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from lsprotocol import types as lsp

from protocol.notifications import DidChangeMemories
from sidecar.lsp.features.hover import HoverRequest
from sidecar.text.tokens import estimate
from tests.trackers.enriched import DAY, HOUR, ISSUE, MERGE, TOKEN, EnrichedRepository
from tests.trackers.forge_server import ForgeServer, Reply, Shape


def test_a_hover_shows_what_is_known_and_asks_nobody(
    enriched: EnrichedRepository, reply: type[Reply], shape: Shape
) -> None:
    (enriched.folder / "parser.py").write_text("def parse():\n    return 1\n")
    enriched.record("`parser.py::parse` hangs on empty input, see #12 and #13.")
    enriched.server.replies[f"{ISSUE}12"] = reply(200, shape("gitlab-issue"))
    editor = enriched.engine.editor
    assert editor is not None
    for markdown, said in ((True, "`#12` is an open issue: `The parser hangs on empty input`"), (False, "#12 is an")):
        server: Any = SimpleNamespace(
            client=SimpleNamespace(markdown=markdown, links_commands=False),
            documents=SimpleNamespace(encoding="utf-16"),
        )
        hovering = HoverRequest(server, editor, (enriched.folder / "parser.py").as_uri(), None)

        def shown(asked: HoverRequest = hovering) -> str:
            found = asked.hover(lsp.Position(0, 5))
            assert found is not None
            assert isinstance(found.contents, lsp.MarkupContent)
            return found.contents.value

        if markdown:
            assert "issue" not in shown()
            assert len(enriched.enrich()) == 2  # the other does not exist
        before = len(enriched.server.seen)
        assert said in shown()
        assert "hangs on empty input, see #12" in shown()
        assert "#13 is" not in shown().replace("`", "")
        assert len(enriched.server.seen) == before


def test_titles_and_states_are_looked_up_and_shown(
    enriched: EnrichedRepository, reply: type[Reply], shape: Shape
) -> None:
    enriched.server.replies[f"{ISSUE}12"] = reply(200, shape("gitlab-issue"))
    enriched.record("The parser hangs, see #12.")
    enriched.record("Empty input is what hangs it (#12), as !3 shows.")
    enriched.server.replies[f"{MERGE}3"] = reply(200, shape("gitlab-merge-request"))
    assert sorted(enriched.enrich()) == [f"{ISSUE}12", f"{MERGE}3"]
    found = enriched.tracked("#12")
    assert (found.kind, found.state, found.title) == ("issue", "open", "The parser hangs on empty input")
    assert (found.labels, found.author) == (["bug", "urgent"], "ada")
    assert found.checked_at == enriched.now
    assert enriched.call("context/entity", entity="group/app#12").tracked == found
    assert enriched.tracked("!3").state == "merged"
    assert enriched.call("context/entity", entity="#123").tracked is None
    boot = enriched.call("context/boot")
    assert [hot_entity.tracked.title for hot_entity in boot.hot_entities if hot_entity.tracked] == [
        "The parser hangs on empty input"
    ]
    assert "#12: in 2 memories; open issue: The parser hangs on empty input [bug, urgent]" in boot.text
    assert estimate(boot.text) == boot.tokens
    assert {headers["private-token"] for _, headers in enriched.server.seen} == {TOKEN}
    assert "parser" not in " ".join(enriched.server.paths())
    status = enriched.status()
    assert (status.state, status.host, status.project) == ("idle", "127.0.0.1", "group/app")
    assert (status.known, status.missing) == (2, 0)


def test_nothing_is_sent_unless_it_is_configured(
    make: Callable[..., EnrichedRepository], tmp_path: Path, server: ForgeServer
) -> None:
    for origin, trackers, detail in (
        (None, {"enabled": False}, None),
        (None, {"gitlabToken": None, "gitlabTokenVariable": "SURELY_NOT_SET"}, "No token"),
        ("https://elsewhere.example/group/app.git", {}, "neither of the hosts"),
        (str(tmp_path), {}, "no origin"),
    ):
        enriched = make(origin, **trackers)
        enriched.record("The parser hangs, see #12.")
        assert enriched.enrich() == []
        kept = enriched.workspace.open()
        kept.enrichment.start()
        status = enriched.status()
        assert status.state == "off"
        assert (detail is None and status.detail is None) or str(detail) in str(status.detail)
        assert not list(tmp_path.glob("store/workspaces/*/trackers"))
    assert server.seen == []


def test_enrichment_starts_with_the_workspace_and_delays_nothing(
    make: Callable[..., EnrichedRepository], reply: type[Reply], shape: Shape
) -> None:
    enriched = make()
    arrived = threading.Event()

    def slowly(headers: dict[str, str]) -> Reply:
        arrived.set()
        return reply(200, shape("gitlab-issue"), delay=50)  # until the test is over

    enriched.server.replies[f"{ISSUE}12"] = slowly
    enriched.record("The parser hangs, see #12.")
    kept = enriched.workspace.open()
    kept.enrichment.start()
    assert arrived.wait(90)
    assert enriched.call("context/entity", entity="#12").tracked is None  # answered while it is being requested
    assert enriched.status().state == "working"


def test_a_stored_tag_and_the_age_of_a_mention_decide_the_requests(
    enriched: EnrichedRepository, reply: type[Reply], shape: Shape
) -> None:
    def answer(headers: dict[str, str]) -> Reply:
        if headers.get("if-none-match") == '"v1"':
            return reply(304, b"", {"ETag": '"v1"'})
        return reply(200, shape("gitlab-issue"), {"ETag": '"v1"'})

    enriched.server.replies[f"{ISSUE}12"] = answer
    enriched.record("The parser hangs, see #12.")
    assert len(enriched.enrich()) == 1
    assert enriched.enrich(HOUR // 2) == []
    assert len(enriched.enrich(HOUR)) == 1
    assert enriched.tracked("#12").title == "The parser hangs on empty input"
    enriched.enrich(2 * DAY)
    assert enriched.enrich(2 * HOUR) == []
    assert len(enriched.enrich(DAY)) == 1
    enriched.enrich(20 * DAY)
    assert enriched.enrich(3 * DAY) == []
    assert enriched.server.seen[-1][1]["if-none-match"] == '"v1"'


def test_closed_issue_blocks_no_more_and_nothing_else_is_touched(
    enriched: EnrichedRepository, reply: type[Reply], shape: Shape, server: ForgeServer
) -> None:
    exact = enriched.record("The release is blocked by #12.", category="blocker")
    whole = enriched.record("Shipping waits for group/app#12 to be done.", category="blocker")
    address = enriched.record(f"Blocked: {server.url}/group/app/-/issues/12 must be fixed.", category="blocker")
    left = {
        "longer": enriched.record("The upgrade is blocked by #123.", category="blocker"),
        "other": enriched.record("The docs are blocked by other/project#12.", category="blocker"),
        "both": enriched.record("The demo is blocked by #12 and by #99.", category="blocker"),
        "merge": enriched.record("The launch is blocked by MR #12.", category="blocker"),
        "everywhere": enriched.record("Everything is blocked by #12.", category="blocker", scope="global"),
        "elsewhere": enriched.record("Blocked by https://github.com/group/app/issues/12 upstream.", category="blocker"),
        "fact": enriched.record("Look at #12 for how the parser hangs."),
    }
    closed = shape("gitlab-issue", state="closed", closed_at="2026-11-21T08:00:00.000Z")
    enriched.server.replies[f"{ISSUE}12"] = reply(200, closed)
    enriched.enrich()
    assert [enriched.state(id) for id in (exact, whole, address)] == ["resolved"] * 3
    assert {name: enriched.state(id) for name, id in left.items()} == dict.fromkeys(left, "active")
    tracked = enriched.tracked("#12")
    assert sorted(tracked.resolved) == sorted((exact, whole, address))
    assert enriched.status().resolved == 3
    changes = [
        change for _, params in enriched.notices if isinstance(params, DidChangeMemories) for change in params.changes
    ]
    assert {each.id for each in changes if each.change == "resolved"} == {exact, whole, address}

    assert enriched.call("memory/undo", id=exact).status == "active"
    assert enriched.call("memory/reopen", id=whole).status == "active"
    enriched.enrich(2 * DAY)
    assert [enriched.state(id) for id in (exact, whole)] == ["active", "active"]
    enriched.call("memory/update", id=whole, content="Shipping still waits for what group/app#12 left open.")
    enriched.enrich(2 * DAY)
    assert enriched.state(whole) == "active", "reopened, then reworded"

    enriched.now += DAY
    again = shape("gitlab-issue", state="closed", closed_at="2026-11-24T08:59:00.000Z")
    enriched.server.replies[f"{ISSUE}12"] = reply(200, again)
    enriched.enrich(8 * DAY)
    assert [enriched.state(id) for id in (exact, whole)] == ["resolved", "resolved"]


def test_github_and_its_pull_requests(
    make: Callable[..., EnrichedRepository], reply: type[Reply], shape: Shape, server: ForgeServer
) -> None:
    enriched = make(gitlabUrl="https://gitlab.example.com", githubUrl=server.url, githubToken="ghp-x")
    enriched.server.replies["/api/v3/repos/group/app/issues/13"] = reply(200, shape("github-pull-request"))
    blocker = enriched.record("The release is blocked by PR #13.", category="blocker")
    enriched.record("Nothing to look up: !4 and &5.")
    assert enriched.enrich() == ["/api/v3/repos/group/app/issues/13"]
    assert enriched.state(blocker) == "resolved"
    found = enriched.tracked("#13")
    assert (found.kind, found.state) == ("mergeRequest", "merged")
    assert enriched.server.seen[0][1]["authorization"] == "Bearer ghp-x"
