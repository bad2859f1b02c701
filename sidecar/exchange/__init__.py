"""Memories in and out of other forms: files that people read and write, and other tools' formats.

Pure functions between texts and plain entries. This room reads and writes no file, opens no store and decides nothing
about retrieval: the facade gives it texts and what the store holds, and carries out the plan it answers.
"""
