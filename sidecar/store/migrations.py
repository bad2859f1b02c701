"""The steps from one layout version to the next, oldest first, one list for each kind of database.

A step changes rows through `Rows` and runs inside the one transaction that migrates the database; a step that
raises leaves everything as it was. A database's version is the number of its steps plus one. Steps are never
changed or removed once released: a store may still be on any earlier version. A step that changes a record's
layout decodes the old rows to plain values and encodes new ones; it must not use the structs of `records.py`,
which move on.
"""

from __future__ import annotations

from collections.abc import Callable

from sidecar.store.database import Rows

Migration = Callable[[Rows], None]

MEMORIES: tuple[Migration, ...] = ()
ACTIVITY: tuple[Migration, ...] = ()
FILES: tuple[Migration, ...] = ()
