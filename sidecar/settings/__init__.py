"""What the user may choose, and where each choice came from.

`Settings` is the tree of values and `describe` the table of all keys. Loading never raises: a bad setting becomes a
message that names the key and where it was written, and the value before it stays. This room reads the user's and the
workspace's TOML files only, writes nothing, and reads no environment but the one it is given.
"""

from sidecar.settings.load import Loaded, load, user_file_path, workspace_file_path
from sidecar.settings.model import Settings
from sidecar.settings.table import Setting, describe

__all__ = ["Loaded", "Setting", "Settings", "describe", "load", "user_file_path", "workspace_file_path"]
