"""What operating systems do differently, one module a subject; no other room imports a system's own modules.

Linux is tested. The ways of macOS and Windows are type-checked (`.ci/run`); nobody here has run those of Windows.
"""
