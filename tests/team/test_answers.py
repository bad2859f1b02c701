"""What a model wrote about a content is paid for once by all machines; a database that is away costs nothing more."""

from __future__ import annotations

from tests.summaries.conftest import Endpoint, completion
from tests.team.conftest import Database, Proxy
from tests.team.desks import TOKEN, Desk, Desks, with_model
from tests.waiting import eventually


def read(desk: Desk) -> str:
    """Have an agent read the file; return the summary that a model wrote of it."""
    desk.call("session/start", sessionId="s")
    desk.call("file/recordRead", path="app.py", sessionId="s")

    def written() -> bool:
        return bool(desk.call("file/summary", path="app.py").origin == "model")

    eventually(written)
    return str(desk.call("file/summary", path="app.py").summary)


def test_a_summary_is_paid_for_once(database: Database, desks: Desks, endpoint: Endpoint) -> None:
    said = f"It holds `PORT` of the server and says {TOKEN} twice."
    endpoint.reply = lambda body: (200, {}, completion(said))
    laptop, desktop = with_model(desks(), endpoint), with_model(desks(), endpoint)
    laptop.team.join(None, dry_run=False)
    first = read(laptop)
    eventually(lambda: database.sql("SELECT count(*) FROM memory_sidecar.answers") == [(1,)])
    assert read(desktop) == first
    assert len(endpoint.asked) == 1
    kept = database.sql("SELECT text, kind, author FROM memory_sidecar.answers")
    assert TOKEN not in str(kept[0][0])
    assert kept[0][1:] == ("summary", "memory")
    apart = with_model(desks(), endpoint, shared_answers=False)
    read(apart)
    assert len(endpoint.asked) == 2


def test_a_forged_shared_answer_with_a_secret_is_not_used(database: Database, desks: Desks, endpoint: Endpoint) -> None:
    laptop, desktop = with_model(desks(), endpoint), with_model(desks(), endpoint)
    laptop.team.join(None, dry_run=False)
    read(laptop)
    eventually(lambda: database.sql("SELECT count(*) FROM memory_sidecar.answers") == [(1,)])
    database.sql("UPDATE memory_sidecar.answers SET text = %s", f"The key is {TOKEN}, used by `PORT` of the server.")
    assert TOKEN not in read(desktop)


def test_without_the_database_the_model_is_asked(
    database: Database, desks: Desks, endpoint: Endpoint, proxy: Proxy
) -> None:
    laptop = with_model(desks(database.url(port=proxy.port)), endpoint)
    laptop.team.join(None, dry_run=False)
    proxy.cut()
    assert read(laptop)
    assert len(endpoint.asked) == 1
