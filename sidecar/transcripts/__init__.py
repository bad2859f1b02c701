"""What agents keep of their sessions, read back as events: what was said, what was done, and when.

One file for each format, each a reader that goes through a transcript line by line and holds little of it; `formats`
is the table of them, `discovery` finds those of a workspace. Text that an agent's program put into a user's message,
what sub-agents were told, and damaged lines are left out. It deliberately learns nothing and writes nothing.
"""
