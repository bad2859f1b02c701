"""Find, check and run the hook scripts that agents are configured with, for clients without hooks of their own.

The configuration is in Claude Code's format. A repository's hooks are somebody else's code: they are inspected, and run
only if the user's settings allow it. This room does not know the wire.
"""
