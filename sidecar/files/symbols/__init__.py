"""Hashes of what single symbols contain, made from the syntax tree and cached."""
