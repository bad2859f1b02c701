"""The LSP front: bytes on stdin, one engine call, bytes on stdout.

`wire` frames and parses, `greeting` answers `initialize`, `mailbox` brings what follows to the event loop, `protocol`
answers what JSON-RPC and LSP demand, `service` runs the methods of `protocol.METHODS` on threads, also before pygls is
there, `session` owns the engine, `features` has one file per LSP feature, `lifecycle` decides when and how the process
ends. pygls supplies capabilities, progress and registrations; its reader, writer and message handling are replaced.
This room holds no domain logic, keeps the text of open documents only to answer where the cursor is, and is the only
one that imports pygls or lsprotocol; UNSUPPORTED.md lists the LSP methods that it does not answer.
"""
