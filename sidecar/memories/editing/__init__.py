"""Change single memories that exist: update, archive, rename, promote, delete and undo."""
