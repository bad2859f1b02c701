"""The command line: each command decodes its options, makes one request and shows the answer.

Each group of commands has a module; `main.py` lists the commands and imports a module only to run its command, because
start-up takes most of a command's time. With `--json` a command prints only the method's wire result. This room has no
rules about memories or files. Only `serve` imports pygls, lsprotocol and `sidecar.lsp`; rich is imported only for a
progress bar and for wide characters.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 no such memory or file; 4 somebody else has changed the memory meanwhile;
130 interrupted; 141 the reader of the output stopped reading.
"""
