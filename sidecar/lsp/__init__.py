"""The LSP front: bytes on stdin, one engine call, bytes on stdout.

`early_initialize` answers `initialize`, `mailbox` brings what follows to the event loop, `protocol` answers what
JSON-RPC and LSP demand, `service` runs the methods of `protocol.METHODS` on threads, also before pygls is there,
`session` owns the engine, `features` has one file for each LSP feature, `lifecycle` ends the process. pygls supplies
capabilities, progress and registrations; its reader, writer and message handling are replaced. No other room imports
pygls or lsprotocol. The text of open documents is kept only to answer where the cursor is; UNSUPPORTED.md lists what
is not answered.
"""
