"""Who this process belongs to, and who owns a file."""

from __future__ import annotations

import os
import sys
from typing import NamedTuple


class Account(NamedTuple):
    user_id: int
    group_id: int


if sys.platform == "win32":
    # On Windows, access lists keep the profile folder private, which holds all our files.

    def user_name_in_paths() -> str:
        return os.environ.get("USERNAME", "user")

    def owns(status: os.stat_result) -> bool:
        return status.st_uid == 0

    def is_current_user(user_id: int) -> bool:
        return False

    def is_root() -> bool:
        return False

    def account_of(name: str) -> Account | None:
        return None

    def give_to(path: str | os.PathLike[str], account: Account) -> None:
        raise OSError("Windows has no accounts with numbers.")

else:
    import functools

    def user_name_in_paths() -> str:
        """Return a name that distinguishes this user's files in a folder that all users share."""
        return str(os.getuid())

    def owns(status: os.stat_result) -> bool:
        return status.st_uid == os.geteuid()

    def is_current_user(user_id: int) -> bool:
        return user_id == os.geteuid()

    def is_root() -> bool:
        return os.geteuid() == 0

    @functools.cache
    def account_of(name: str) -> Account | None:
        import pwd

        try:
            entry = pwd.getpwnam(name)
        except KeyError:
            return None
        return Account(entry.pw_uid, entry.pw_gid)

    def give_to(path: str | os.PathLike[str], account: Account) -> None:
        os.chown(path, account.user_id, account.group_id)
