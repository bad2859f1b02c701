"""The user's settings and their origins.

`Settings` is the tree of values, `describe` the table of all keys. Loading never raises: for a bad setting, a message
names the key and its origin, and the earlier value stays. This room reads only the TOML files of the user and the
workspace and the environment that it is given, and writes nothing.
"""

from sidecar.settings.load import LoadedSettings, load, user_file_path, workspace_file_path
from sidecar.settings.model import Settings
from sidecar.settings.table import Setting, describe

__all__ = ["LoadedSettings", "Setting", "Settings", "describe", "load", "user_file_path", "workspace_file_path"]
