"""Queries that only editors make: what is remembered about a file or symbol, as plain values to display."""
