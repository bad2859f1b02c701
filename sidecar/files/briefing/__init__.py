"""The briefing of a file: its layout and text, the cache of rendered ones, and what goes with one."""
