"""Read other tools' files into `ImportItem`s: one module per format, and the detection of formats.

A reader takes texts and returns plain values. It opens and stores nothing. `ParsedImport.skipped` names each part of a
file that the reader does not use, with the reason.
"""
