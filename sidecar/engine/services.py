"""What the workspaces and handlers of one engine share: settings, clock, models, the user's stores."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from sidecar.embedding.model_loader import ModelLoaders
from sidecar.engine.client_notifier import ClientNotifier
from sidecar.engine.options import EngineOptions, Source
from sidecar.runtime.cancellation import Context
from sidecar.runtime.priority import Priority
from sidecar.settings import Settings
from sidecar.store.location import data_home
from sidecar.store.memory_store import MemoryStore
from sidecar.store.spending import Spending

if TYPE_CHECKING:
    from sidecar.models.chat_models import ChatModelChoice
    from sidecar.settings.model import ModelSettings

UserStore = TypeVar("UserStore", MemoryStore, Spending)


class Services:
    """What all workspaces and handlers of one engine share. Thread-safe."""

    def __init__(self, settings: Settings, options: EngineOptions) -> None:
        self.settings = settings
        self.settings_problems = list(options.settings_problems)
        self.options = options
        self.clock, self.new_id = options.clock, options.new_id
        self.started = options.clock()
        self.models = ModelLoaders()
        self.priority = Priority()
        self.notifier = ClientNotifier()
        self._lock = threading.Lock()
        self._user_stores: dict[Path, MemoryStore] = {}  # by folder, since new settings may name another
        self._spending: dict[Path, Spending] = {}

    def reconfigure(self, settings: Settings, problems: Sequence[str]) -> None:
        """Use other settings from now on."""
        self.settings, self.settings_problems = settings, list(problems)

    def chat_models(self, settings: ModelSettings) -> ChatModelChoice:
        """Return the chat models that these settings allow, the client's among them."""
        from sidecar.models.chat_models import ChatModelChoice

        return ChatModelChoice(settings, self.options.client_model, self.priority.give_way)

    def source(self, context: Context) -> Source:
        """Return who records in a request."""
        return "user" if context.by_person else self.options.source

    def user_store(self) -> MemoryStore:
        """Return the store of global memories under the current settings, opened once."""
        return self._open_once(self._user_stores, MemoryStore.open)

    def spending(self) -> Spending:
        """Return the counters of model usage under the current settings, opened once."""
        return self._open_once(self._spending, Spending.open)

    def _open_once(self, stores: dict[Path, UserStore], open_store: Callable[[Path], UserStore]) -> UserStore:
        with self._lock:
            folder = data_home(self.settings.store.folder, make=self.settings.memory.enabled) / "user"
            if folder in stores and stores[folder].is_gone:
                stores.pop(folder).close()
            if folder not in stores:
                stores[folder] = open_store(folder)
            return stores[folder]

    def close_stores(self) -> None:
        with self._lock:
            stores: list[MemoryStore | Spending] = [*self._user_stores.values(), *self._spending.values()]
            self._user_stores, self._spending = {}, {}
        for store in stores:
            store.close()
