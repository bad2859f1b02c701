"""The command line: each command decodes its options, makes one engine call in this process and shows the answer.

There is one file per command group; `main.py` lists the commands and imports a command's file only to run it, because
start-up is most of what a command costs. With `--json` a command prints the method's wire result and nothing else. This
room holds no rule about memories or files, and never imports pygls, lsprotocol or `sidecar.lsp`; only a running `serve`
does. rich is imported only to draw on a terminal.

Exit codes: 0 done; 1 failed; 2 wrong usage; 3 no such memory or file; 4 the memory was changed by someone else
meanwhile; 130 interrupted; 141 the reader of the output stopped reading.
"""
