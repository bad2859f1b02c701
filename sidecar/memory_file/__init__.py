"""Keep MEMORY.md, or its directory form, in step with the store. `sync` decides when, `single` and `pages` make one
pass over either form, `bridge` maps records to entries and plans to changes, `state` is what was last written.
"""
