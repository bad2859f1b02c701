"""What other tools wrote, read into `Item`s: one file per format, and which format a file has.

A reader takes texts and gives plain values. It opens nothing, stores nothing and loses nothing: what it does not take
is in `Parsed.left`, with the reason.
"""
