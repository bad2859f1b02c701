"""Choose among the chat models that the settings allow: an endpoint's, a command, the connected client's."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol

from sidecar.models.chat import EndpointModel, ModelAnswer, ModelFailed
from sidecar.settings.model import ModelSettings


class ChatPort(Protocol):
    """What every chat model offers."""

    def ask(self, instructions: str, text: str, max_tokens: int) -> ModelAnswer:
        """Return the answer. Raises `ModelFailed`."""

    def close(self) -> None:
        """Accept no more questions."""


class ChatModelChoice:
    """Chooses the model for each kind of question, and creates it on first use. Thread-safe.

    `client` returns the connected client's model, if the client offers one; the connection closes that model.
    """

    def __init__(
        self, settings: ModelSettings, client: Callable[[], ChatPort | None], give_way: Callable[[], None]
    ) -> None:
        self.settings = settings
        self._chat: ChatPort | None = None
        self._client = client
        self._give_way = give_way
        self._command: ChatPort | None = None
        self._lock = threading.Lock()
        self._closed = False

    @property
    def configured(self) -> bool:
        return bool(self.settings.endpoint and self.settings.name)

    @property
    def reads_sessions(self) -> bool:
        ready = {"client": True, "endpoint": self.configured, "command": bool(self.settings.command)}
        return ready.get(self.settings.sessions, False)

    @property
    def reads_by_client(self) -> bool:
        """Return whether the model of this connection's client reads sessions."""
        return self.settings.sessions == "client" and self._client() is not None

    @property
    def awaits_client(self) -> bool:
        """Return whether questions about sessions wait until a client offers its model."""
        return self.settings.sessions == "client" and self._client() is None

    @property
    def name(self) -> str | None:
        name = self.settings.name if self.configured else None
        if self.reads_sessions and self.settings.sessions != "endpoint":
            reader = self.settings.command if self.settings.sessions == "command" else "the client's own"
            return f"{name}, {reader}" if name else reader
        return name

    def model(self, kind: str) -> ChatPort:
        settings = self.settings
        reader = settings.sessions if kind == "session" else "endpoint"
        with self._lock:
            if self._closed:
                raise ModelFailed("The workspace is closed.")
            if reader == "client":
                if (client := self._client()) is None:
                    raise ModelFailed("No client that offers its model is connected.", after=600.0)
                return client
            if reader == "command":
                if self._command is None:
                    from sidecar.models.command import CommandModel

                    self._command = CommandModel(settings.command or "", settings.timeout_seconds)
                return self._command
            if self._chat is None:
                self._chat = EndpointModel(
                    settings.endpoint or "",
                    settings.name or "",
                    settings.key,
                    timeout=settings.timeout_seconds,
                    concurrency=settings.concurrency,
                    give_way=self._give_way,
                )
            return self._chat

    def close(self) -> None:
        """Accept no more questions. Questions in progress fail, except those with the client's model."""
        with self._lock:
            self._closed = True
            chats = (self._chat, self._command)
        for chat in chats:
            if chat is not None:
                chat.close()
