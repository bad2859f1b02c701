"""What the user may choose, and where each choice came from.

`Settings` is the tree of values, `load` puts it together from the defaults, the user's TOML file, the
workspace's TOML file, the environment, the client's `initializationOptions` and
`workspace/didChangeConfiguration`, the later winning, and `describe` is the table of all keys. Loading never
raises: a bad setting becomes a message that names the key and where it was written, and the value it would have
replaced stands. This room reads those two files and nothing else, writes nothing, and looks at no process
environment but the one it is given.
"""

from sidecar.settings.load import Loaded, load, user_file_path, workspace_file_path
from sidecar.settings.model import Settings
from sidecar.settings.table import Setting, describe

__all__ = ["Loaded", "Setting", "Settings", "describe", "load", "user_file_path", "workspace_file_path"]
