"""Scans: the definitions, imports and used names of a file, found by regular expressions in one pass over its bytes.

A scan costs about a fifth of an outline. So all files of a repository can be ranked for the map before any is parsed.
"""
