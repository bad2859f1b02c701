"""The ways to a chat model that the settings name: an endpoint, a command, the client that is connected."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from sidecar.models.chat import Answer, ChatModel, ModelFailed
from sidecar.settings.model import ModelSettings


class Chat(Protocol):
    """What is asked; `ChatModel` is one."""

    def ask(self, instructions: str, text: str, most_tokens: int) -> Answer:
        """The answer. Raises `ModelFailed`."""

    def close(self) -> None:
        """Ask no more."""


class Ways:
    """Which model answers what; made when first asked for. Any thread.

    `client` is the model of the client that is connected, if it offers one; it is the connection's to close.
    """

    def __init__(
        self, settings: ModelSettings, client: Callable[[], Chat | None], give_way: Callable[[], None]
    ) -> None:
        self._settings = settings
        self._chat: Chat | None = None
        self._client = client
        self._give_way = give_way
        self._command: Chat | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def configured(self) -> bool:
        """Whether the user has named an endpoint and a model."""
        return bool(self._settings.endpoint and self._settings.name)

    @property
    def reads_sessions(self) -> bool:
        """Whether a model is to read what the user said."""
        by = self._settings.sessions
        return (
            by == "client" or (by == "endpoint" and self.configured) or bool(by == "command" and self._settings.command)
        )

    @property
    def has_client(self) -> bool:
        """Whether sessions are read by a client that is connected here, and nowhere else."""
        return self._settings.sessions == "client" and self._client() is not None

    @property
    def lacks_client(self) -> bool:
        """Whether questions about sessions are for another process: one whose client offers its model."""
        return self._settings.sessions == "client" and self._client() is None

    @property
    def name(self) -> str | None:
        """What a status calls the models."""
        name = self._settings.name if self.configured else None
        if self.reads_sessions and self._settings.sessions != "endpoint":
            own = self._settings.command if self._settings.sessions == "command" else "the client's own"
            return f"{name}, {own}" if name else own
        return name

    def model(self, kind: str) -> Chat:
        """What answers questions of this kind. Raises `ModelFailed`."""
        settings = self._settings
        by = settings.sessions if kind == "session" else "endpoint"
        with self._lock:
            if self._closed:
                raise ModelFailed("The workspace is closed.")
            if by == "client":
                if (client := self._client()) is None:
                    raise ModelFailed("No client that offers its model is connected.", after=600.0)
                return client
            if by == "command":
                if self._command is None:
                    from sidecar.models.command import CommandModel

                    self._command = CommandModel(settings.command or "", settings.timeout_seconds)
                return self._command
            if self._chat is None:
                self._chat = ChatModel(
                    settings.endpoint or "",
                    settings.name or "",
                    settings.key,
                    timeout=settings.timeout_seconds,
                    concurrency=settings.concurrency,
                    give_way=self._give_way,
                )
            return self._chat

    def close(self) -> None:
        """Ask no more; what is under way fails, but for a client's."""
        with self._lock:
            self._closed = True
            made = (self._chat, self._command)
        for chat in made:
            if chat is not None:
                chat.close()
