"""The user of this process, and the owners of files."""

from __future__ import annotations

import os
import sys

if sys.platform == "win32":
    # On Windows, access lists protect the profile folder, which holds all our files.

    def user_name_in_paths() -> str:
        return os.environ.get("USERNAME", "user")

    def owns(status: os.stat_result) -> bool:
        return status.st_uid == 0

    def is_current_user(user_id: int) -> bool:
        return False

else:

    def user_name_in_paths() -> str:
        """Return a name for this user's files in a folder that all users share."""
        return str(os.getuid())

    def owns(status: os.stat_result) -> bool:
        return status.st_uid == os.geteuid()

    def is_current_user(user_id: int) -> bool:
        return user_id == os.geteuid()
