"""Names for memories recorded without one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sidecar.memories.recording import checks
from sidecar.memories.wording.naming import MAX_NAME_CHARS, derive_name, is_derived


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("Use pnpm.", "Use pnpm"),
        ("- Use pnpm", "Use pnpm"),
        ("# Use pnpm", "Use pnpm"),
        ("  Use\n\tpnpm  ", "Use pnpm"),
        ("`fetch` encodes the URL.", "`fetch` encodes the URL"),
        ("- `fetch` encodes `url`.", "`fetch` encodes `url`"),
        ("`pnpm test`", "pnpm test"),
        ("Run `pnpm test`.", "Run `pnpm test`"),
        ("```\npnpm test", "pnpm test"),
    ],
)
def test_a_short_text_is_its_own_name(content: str, name: str) -> None:
    assert derive_name(content) == name


def test_a_long_text_is_named_by_how_it_begins() -> None:
    name = derive_name("The build needs Node 20. With 18 the bundler fails with ERR_REQUIRE_ESM.")
    assert name.startswith("The build needs Node 20 (")


def test_texts_that_only_begin_alike_have_different_names() -> None:
    one = derive_name("Hey Mel! Good to see you! I was in Rome.")
    other = derive_name("Hey Mel! Good to see you! I was in Oslo.")
    assert one != other


def test_white_space_does_not_change_a_name() -> None:
    text = "The build needs Node 20. With 18 it fails."
    assert derive_name(text) == derive_name(text.replace(" ", "\n  "))


def test_a_name_of_an_earlier_version_is_known_for_a_derived_one() -> None:
    text = "`fetch` encodes the URL itself. The server of old refuses whatever is quoted."
    assert derive_name(text).startswith("`fetch` encodes the URL itself (")
    assert is_derived(derive_name(text), text)
    assert is_derived("fetch` encodes the URL itself (a1b2c3)", text)


def test_a_given_name_is_told_from_a_derived_one() -> None:
    text = "The build needs Node 20. With 18 the bundler fails."
    assert is_derived(derive_name(text), text)
    assert not is_derived("node version", text)


@pytest.mark.parametrize(
    ("content", "beginning"),
    [
        # clauses and words
        (
            "Use pnpm rather than npm in this project because the lockfile is pnpm's.",
            "Use pnpm rather than npm in this project…",
        ),
        (
            "We decided to keep the cache in one file because two could disagree.",
            "We decided to keep the cache in one file…",
        ),
        (
            "Die Datenbank läuft auf Port 5433, weil 5432 auf den Rechnern schon belegt ist.",
            "Die Datenbank läuft auf Port 5433",
        ),
        (
            "Les migrations sont appliquées par la CI, jamais à la main. Demander à Zoé.",
            "Les migrations sont appliquées par la CI",
        ),
        (
            "数据库迁移必须在部署之前运行，否则旧的服务会失败。请先通知运维。",
            "数据库迁移必须在部署之前运行，否则旧的服务会失败",
        ),
        # sentences that do not end where they seem to
        (
            "Am 3. Oktober wurde die Migration beschlossen. Grund: Replikation.",
            "Am 3. Oktober wurde die Migration beschlossen",
        ),
        (
            "Bitte `uv run pytest -q` benutzen, z. B. in der CI. Ohne -q wird es zu lang.",
            "Bitte `uv run pytest -q` benutzen, z. B. in der CI",
        ),
        (
            "Dr. Smith (legal) must approve changes of LICENSE. Ask him by mail.",
            "Dr. Smith (legal) must approve changes of LICENSE",
        ),
        ("Version 2.0.1 of libfoo breaks the parser. Pin 2.0.0.", "Version 2.0.1 of libfoo breaks the parser"),
        ("Hey! The staging database is reset every night. At 2 am.", "Hey! The staging database is reset every night"),
        # markup, labels and lists
        (
            "Note: the API allows 100 requests a minute, no more. Beyond, it answers 429.",
            "the API allows 100 requests a minute, no more",
        ),
        (
            "**Auth**: tokens are refreshed by `AuthMiddleware.refresh()`, never in a request.",
            "Auth: tokens are refreshed…",
        ),
        ("## Deployment\nPush a tag and wait.", "Deployment"),
        ("Deploy steps:\n- build the image\n- push it", "Deploy steps"),
        ("1. Install Docker\n2. Run `docker compose up`", "Install Docker"),
        (
            "- [ ] Ask Ann before a release is made on a Friday, she knows what is expected",
            "Ask Ann before a release is made on a Friday",
        ),
        (
            "See [the runbook](https://wiki.example.com/a) for payments that fail.",
            "See the runbook for payments that fail",
        ),
        # code and paths
        (
            "Run `pnpm --filter @acme/web run build --mode production --sourcemap` first.",
            "Run pnpm --filter @acme/web run build --mode…",
        ),
        (
            "`src/server/http/routes.py` registers every route at import time, so be careful.",
            "`src/server/http/routes.py` registers every route…",
        ),
        (
            "The service account `ci-bot@acme.iam.gserviceaccount.com` needs the role of a writer.",
            "The service account…",
        ),
        (
            "/home/ann/projects/very/deeply/nested/folder/structure/with/levels.yaml holds it.",
            "/home/ann/projects/very/deeply/nested/folder…",
        ),
        (
            "if (user == null) return; was removed on purpose. The caller checks it.",
            "if (user == null) return; was removed on purpose",
        ),
    ],
)
def test_names_read_well(content: str, beginning: str) -> None:
    name = derive_name(content)
    assert name.rpartition(" (")[0] == beginning
    assert is_derived(name, content)
    assert is_derived(name, f"{content}\nMore was added later.")


def test_links_to_two_places_are_two_names() -> None:
    assert derive_name("See [the runbook](https://a.example)") != derive_name("See [the runbook](https://b.example)")


@given(
    st.text(min_size=1).filter(str.strip) | st.text(alphabet="ab.`*([) :-1", min_size=1, max_size=90).filter(str.strip)
)
def test_name_is_derived_from_the_content(content: str) -> None:
    content = content.strip()
    assert is_derived(derive_name(content), content)


@pytest.mark.parametrize("content", ["`", "**", "- `", "...", "# #"])
def test_signs_alone_are_a_name(content: str) -> None:
    name = derive_name(content)
    assert name.strip()
    assert checks.check_name(name) == name
    assert is_derived(name, content)


@given(st.text(min_size=1).filter(str.strip))
def test_any_text_gives_a_name_that_the_limits_accept(content: str) -> None:
    name = derive_name(content.strip())
    assert 0 < len(name) <= MAX_NAME_CHARS
    assert name == derive_name(content.strip())
    assert checks.check_name(name) == name
