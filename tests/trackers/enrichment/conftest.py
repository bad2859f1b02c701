"""The forge of `tests/trackers`, for tests of what is made from its answers."""

from tests.trackers.conftest import ForgeServer, Reply, other_server, reply, serve, server, shape

__all__ = ["ForgeServer", "Reply", "other_server", "reply", "serve", "server", "shape"]
