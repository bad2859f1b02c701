"""The hashes of symbols' own contents, made from the syntax tree and cached."""
