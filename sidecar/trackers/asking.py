"""Request one item from a forge and store the answer. After a failure, requests to the forge are paused."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from sidecar.store.records import ForgeRecord, TrackedRecord
from sidecar.store.tracker_store import TrackerStore
from sidecar.trackers.client import ForgeAnswer, ForgeClient, Unreachable
from sidecar.trackers.forge import Forge
from sidecar.trackers.parsing import Unusable, parse_item
from sidecar.trackers.schedule import HOUR_MS, failure_pause, is_paused
from sidecar.trackers.targets import Target, path_of

log = logging.getLogger(__name__)

# The longest pause, even if the forge asks for a longer one.
MAX_PAUSE_MS: Final = 24 * HOUR_MS
_STATE_BY_HTTP_STATUS: Final = {403: "forbidden", 404: "notFound", 410: "gone"}


@dataclass(frozen=True)
class TrackerAsker:
    forge: Forge
    client: ForgeClient
    store: TrackerStore

    def ask(self, target: Target, stored: TrackedRecord, now: int) -> TrackedRecord | None:
        """Request an item and store the answer; return None if it is not usable. Raises StoreUnavailable."""
        try:
            answer = self.client.get(path_of(target, self.forge), stored.etag)
            item = parse_item(self.forge.kind, target, answer.body) if answer.status == 200 else None
        except Unreachable as fault:
            self._back_off(str(fault), now)
            self._record_unusable(target, str(fault), now)
            return None
        except Unusable as fault:
            self._record_unusable(target, str(fault), now)
            return None
        if self._is_refused(answer, now):
            if answer.status >= 500:
                self._record_unusable(target, f"answered with status {answer.status}", now)
            else:
                self.store.update(target.key, lambda before: before)  # releases the lease
            return None
        if item is not None:
            return self.store.update(
                target.key, lambda before: replace(item, etag=answer.etag, checked_at=now, resolved=before.resolved)
            )
        if answer.status == 304:
            fresh = {"checked_at": now, "missing": None, "failures": 0, "tried_at": None}
            return self.store.update(target.key, lambda before: replace(before, **fresh))
        if answer.status in _STATE_BY_HTTP_STATUS:
            return self._record_missing(target, answer, now)
        self._record_unusable(target, f"answered with status {answer.status}", now)
        return None

    def _is_refused(self, answer: ForgeAnswer, now: int) -> bool:
        """Return whether the forge refuses further requests for now. Record the pause, or its end."""
        if answer.status == 401:
            self._pause("refuses the token", HOUR_MS, now)
        elif answer.wait is not None:
            self._pause("asks to wait: its rate limit is used up", round(answer.wait * 1_000), now)
        elif answer.status >= 500:
            self._back_off(f"answered with status {answer.status}", now)
        else:
            self._clear_failures(now)
            return False
        return answer.status not in (200, 304, 404, 410)

    def _record_missing(self, target: Target, answer: ForgeAnswer, now: int) -> TrackedRecord:
        """Record, in place of earlier facts, that the item does not exist or that the token may not see it."""
        return self.store.update(
            target.key,
            lambda before: TrackedRecord(
                key=target.key,
                kind=target.kind,
                checked_at=now,
                missing=_STATE_BY_HTTP_STATUS[answer.status],
                failures=before.failures + 1 if before.missing is not None else 1,
                resolved=before.resolved,
            ),
        )

    def _record_unusable(self, target: Target, why: str, now: int) -> None:
        """Record an answer that cannot be used. Earlier facts stay, and the item is requested again later."""
        log.info("%s %s (%s %d).", self.forge.host, why, target.kind, target.number)
        self.store.update(target.key, lambda before: replace(before, failures=before.failures + 1, tried_at=now))

    def _back_off(self, why: str, now: int) -> None:
        failures = self.store.forge(self.forge.account).failures + 1
        self._pause(why, failure_pause(failures), now, failures)

    def _pause(self, why: str, milliseconds: int, now: int, failures: int = 0) -> None:
        until = now + min(max(1_000, milliseconds), MAX_PAUSE_MS)
        paused = ForgeRecord(paused_until=until, reason=why, failures=failures)
        self.store.update_forge(
            self.forge.account,
            lambda before: before if is_paused(before.paused_until, now) and before.paused_until > until else paused,
        )

    def _clear_failures(self, now: int) -> None:
        """Clear earlier failures. A pause that another process recorded meanwhile stays."""
        self.store.update_forge(
            self.forge.account, lambda before: before if is_paused(before.paused_until, now) else ForgeRecord()
        )
