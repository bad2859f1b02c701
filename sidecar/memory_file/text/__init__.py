"""MEMORY.md and its directory form: project memories as text that people edit. `entry` is one memory as a file shows
it, `document` the single file as blocks that keep everything a person wrote, `page` one file of the directory form,
`plan` the three-way comparison of file, store and what was last written, `layout` the file as it should be.
"""
