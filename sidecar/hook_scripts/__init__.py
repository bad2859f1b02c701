"""Hook scripts that agents are configured with: found, checked and run, for clients without hooks of their own.

Reads the configuration in the format of Claude Code. What a repository configures is somebody else's code: it is
looked at, and runs only where the user's settings allow it. Knows nothing of any wire.
"""
