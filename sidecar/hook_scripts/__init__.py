"""Hook scripts that agents are configured with: found, checked and run, for clients without hooks of their own.

Reads the configuration in Claude Code's format. A repository's hooks are somebody else's code: they are inspected, and
run only if the user's settings allow it. Knows nothing about any wire.
"""
