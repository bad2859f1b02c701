"""The agents that `setup` knows: one small file each, saying which files it reads and what they have to say.

An adapter names paths and values; how a file is changed is in `cli/edits`, when and with what consent in
`cli/setup`. Nothing here reads or writes a file but to find out which of two forms an agent uses.
"""
