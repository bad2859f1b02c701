"""Find or make the folder that holds all data, readable by its owner alone."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from sidecar.settings.user_folders import user_folder
from sidecar.system.files import owns

PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600


def data_home(override: Path | None = None, *, make: bool = True) -> Path:
    """Return the folder that holds every store, and make it if missing. Raises `StoreUnavailable`.

    The default folder, in the platform's place for user data, gets mode 0700. An existing folder that the user names
    keeps its mode, since it may hold other things; whatever we make inside it is private.
    """
    if override is None:
        return make_private(user_folder("data")) if make else user_folder("data")
    folder = Path(os.path.abspath(override.expanduser()))
    return folder if folder.is_dir() or not make else make_private(folder)


def make_private(folder: Path) -> Path:
    """Make `folder` and its missing parents with mode 0700, whatever the umask."""
    missing = []
    parent = folder
    try:
        while not parent.exists():
            missing.append(parent)
            parent = parent.parent
        for path in reversed(missing):
            with contextlib.suppress(FileExistsError):
                path.mkdir(PRIVATE_FOLDER)
        if not folder.is_dir():
            raise NotADirectoryError(20, "a file stands where the folder should be", str(folder))
        mode = folder.stat().st_mode & 0o777
        if mode & ~PRIVATE_FOLDER and owns(folder.stat()):
            folder.chmod(mode & PRIVATE_FOLDER)  # only remove rights: the folder may be read-only on purpose
    except OSError as error:
        from sidecar.store.faults import unreachable  # imported here, since it imports diskcache, which hooks avoid

        raise unreachable(error, folder) from error
    return folder
