"""Ask a running server of this user over a Unix socket, so that a hook or a command need not open the stores itself.

A server listens for each of its workspaces (`listening`); a short-lived process finds the server and asks it
(`asking`), and does the work itself when there is none, when its version or settings differ, or when it does not greet
in time. Only methods that read are sent. No port is opened, and no process outlives its client.
"""
