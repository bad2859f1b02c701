"""System calls that not every system has; only this room imports the modules of Python that make them.

Linux is tested. The code for macOS is only type-checked (`.ci/run`).
"""
