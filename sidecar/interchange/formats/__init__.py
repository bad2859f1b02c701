"""Other tools' files, read into `ImportItem`s: one module per format, and the detection of formats.

A reader takes texts and returns plain values. It opens nothing, stores nothing and loses nothing: what it does not use
is in `ParsedImport.skipped`, with the reason.
"""
