"""The LSP front: frames on stdin, one engine call, frames on stdout.

pygls supplies capabilities, progress and registrations; its reader, writer and message handling are replaced, and no
other room imports pygls or lsprotocol. UNSUPPORTED.md lists what is not answered.
"""
