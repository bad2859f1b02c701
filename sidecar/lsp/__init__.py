"""The LSP front: frames on stdin, one engine call, frames on stdout.

`early_initialize` answers `initialize`, `mailbox` passes on what follows to the event loop, `protocol` enforces the
rules of JSON-RPC and LSP, `service` runs the methods of `protocol.METHODS` on threads (even before pygls is imported),
`session` owns the engine, `features` has one file for each LSP feature, `lifecycle` ends the process. pygls supplies
capabilities, progress and registrations; its reader, writer and message handling are replaced. No other room imports
pygls or lsprotocol. The text of open documents is kept only to answer questions about the cursor; UNSUPPORTED.md lists
what is not answered.
"""
