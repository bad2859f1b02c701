"""Which files a text is about: an issue, a prompt, a commit message.

The index is held in memory and built from what file memory knows about each content (words, symbols, path) and from the
commits that the checkout descends from. The room reads no file or repository itself, stores nothing that could not be
made again, and uses no model: a text is about the files that share its rarer words, that similar commits touched, and
that it names.
"""
