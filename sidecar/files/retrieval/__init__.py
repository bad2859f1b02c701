"""Which files a text is about: an issue, a prompt, a commit's message.

Kept in memory and made from what file memory knows of each content (words, symbols, path) and from the commits that the
checkout descends from. It reads no file and no repository itself, stores nothing that could not be made again, and uses
no model: a text is about the files that share its rarer words, that similar commits touched, and that it names.
"""
