#!/usr/bin/env python3
# -*- coding: utf-8 -*-
# Copyright (c) 2026 The Shop Authors. All rights reserved.
"""Orders of a small shop. Nothing here talks to a database.

More text.
"""

from __future__ import annotations

import os.path as osp
from typing import TYPE_CHECKING, overload

from . import prices
from .stock import Shelf, count

if TYPE_CHECKING:
    from shop.users import User

__all__ = ["MAX_ITEMS", "Color", "Order", "total"]

MAX_ITEMS: int = 16
#: How long an order waits.
WAIT = 3.5
TABLE = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9}
first, second = 1, 2


class Color(enum.Enum):
    """What a thing looks like (e.g. red). Second sentence."""

    RED = 1
    GREEN = "g"


@dataclass(frozen=True)
class Order(Base, metaclass=Meta):
    """One order."""

    number: int = 0
    _hidden = None

    @property
    def price(self) -> float:
        """Price in :class:`Euro` cents."""
        return 0.0

    @price.setter
    def price(self, value: float) -> None:
        self._price = value

    @app.route("/orders/<int:number>", methods=["GET", "POST", "PUT", "DELETE", "PATCH"])
    async def show(self, number: int = 1, *rest: str, deep: bool = False) -> str | None:
        import json

        return json.dumps(number)

    def __len__(self) -> int:
        return 0

    def _secret(self):
        pass

    class Line:
        amount = 1


@overload
def total(order: Order) -> int: ...
@overload
def total(order: str) -> str: ...
def total(
    order: Order | str,  # an order, or its number
    discount: dict[str, tuple[int, ...]] = {},
) -> int | str:
    """The sum of all lines
    in cents.
    """
    return 0


# Not exported.
def largüe(名前, *, a_very_long_parameter_name: int = 1, another_very_long_parameter_name: str = "x", third_long_name: bytes = b"") -> None:
    pass


if sys.version_info > (3, 12):
    def late(): ...
else:
    def late(): ...

if __name__ == "__main__":
    total(Order())
