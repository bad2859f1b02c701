"""Ask a running server of this user over a Unix socket, so that a hook or a command need not open the stores itself.

A server listens for each of its workspaces (`listening`); a short process finds it and asks (`asking`), and does the
work itself when there is none, when it is of another version or has other settings, or when it does not greet in time.
Only what reads is asked. No port is opened, and no process outlives its client.
"""
