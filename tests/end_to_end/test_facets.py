"""A fact's life over real stdio: read, thought, shown, kept through one edit, gone with another, back with the code."""

from __future__ import annotations

from pathlib import Path

from tests.client.json_value import fields
from tests.client.stdio_client import StdioClient
from tests.conftest import Spawn

SOURCE = '''"""Orders of the shop."""

import decimal


def total(order):
    """The sum of an order."""
    amount = sum(line.price * line.count for line in order.lines)
    return amount - order.discount


def refund(order):
    """Give the money back."""
    return -total(order)


''' + "\n\n".join(f"def report_{at}(orders):\n    return orders[:{at}]" for at in range(20))
FACT = "`total` subtracts the discount last, because coupons apply to the sum and never to single lines."
REASONING = f"I went through the orders to see where coupons are taken off. {FACT} Now on to the invoices."


def test_a_fact_lives_as_long_as_the_code_it_is_about(tmp_path: Path, spawn: Spawn) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    file = folder / "orders.py"
    file.write_text(SOURCE)
    quiet = ("window/logMessage", "file/didInvalidate", "$/progress", "window/workDoneProgress/create")

    def start() -> StdioClient:
        client = spawn(cwd=folder, ignore=(*quiet, "client/registerCapability"))
        client.initialize(folder)
        return client

    def shown(client: StdioClient) -> list[str]:
        found = client.call("file/summary", {"path": "orders.py", "sessionId": "s"})
        facts = [str(facet["text"]) for facet in found["facets"]]
        assert all(fact in found["summary"] for fact in facts)
        assert all(facet["text"] not in found["summary"] for facet in found.get("formerFacets", []))
        return facts

    client = start()
    assert fields(client.call("file/recordRead", {"path": "orders.py", "sessionId": "s"}), "known") == (False,)
    client.call("file/observe", {"sessionId": "s", "text": REASONING})
    assert shown(client) == [FACT]
    assert "total" in client.call("file/handoff", {"sessionId": "s"})["text"]

    file.write_text(SOURCE.replace("return -total(order)", "return -total(order) or decimal.Decimal(0)"))
    assert shown(client) == [FACT]
    file.write_text(SOURCE.replace("return amount - order.discount", "return max(0, amount - order.discount)"))
    assert shown(client) == []
    client.kill()

    again = start()
    assert shown(again) == []
    file.write_text(SOURCE)
    assert shown(again) == [FACT]
    block = again.call("memory/inject", {"files": ["orders.py"], "sessionId": "s"})
    assert "coupons apply to the sum" in block["text"]
    again.kill()
