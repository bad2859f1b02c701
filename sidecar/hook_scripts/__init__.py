"""Find, check and run the hook scripts in agents' configurations, for clients without hooks.

The configuration has Claude Code's format. A repository's hooks are other people's code: they are checked, and run only
if the user's settings allow it. This room does not know the wire.
"""
