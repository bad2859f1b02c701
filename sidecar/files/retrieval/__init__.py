"""The files that a text is about: an issue, a prompt, a commit message.

A text is about the files that share its rarer words, that similar commits touched, and that it names. The index is in
memory, built from the contents in file memory and from the commits. The room reads no file and uses no model.
"""
