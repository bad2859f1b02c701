"""Read other tools' files into `ImportItem`s: one module per format, and the detection of formats.

A reader takes texts and returns plain values; it opens and stores nothing. `ParsedImport.skipped` names each part that
a reader does not use, with the reason.
"""
