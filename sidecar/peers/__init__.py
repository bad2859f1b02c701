"""Ask a running server of the same user over a Unix socket, so that a hook or a command need not open the stores.

A server listens for each of its workspaces (`listening`). A short-lived process finds the server and asks it
(`asking`). It does the work itself if there is no server, if the server's version or settings differ, or if the server
does not greet in time. Only methods that read are sent. No port is opened, and no process outlives its client.
"""
