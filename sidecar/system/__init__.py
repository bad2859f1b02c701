"""The differences between operating systems, a module for each subject; only this room imports systems' own modules.

Linux is tested. The code for macOS and Windows is only type-checked (`.ci/run`).
"""
