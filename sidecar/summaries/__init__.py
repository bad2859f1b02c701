"""Texts that a configured chat model writes about files and sessions: questions in the background, answers checked."""
