"""Keeps MEMORY.md, or its directory form, and the store in step.

`sync` decides when and under which lock, `single` and `pages` carry out one pass for either form, `bridge` turns
records into entries and a plan into changes of the store, `state` is what was last written, `disk` reads and writes
safely inside the workspace. How texts are read, compared and laid out is `sidecar.memory_file.text`'s business.
"""
