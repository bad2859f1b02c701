"""The command line: each command decodes its options, makes one engine call in this process and shows the answer.

One file per command group; `main.py` names the commands and imports a command's file only when it is run, because
start-up is most of what a command costs. With `--json` a command prints the method's wire result and nothing else.
This room holds no rule about memories or files, and never imports pygls, lsprotocol or `sidecar.lsp`; only `serve`
does, when it is run. rich is imported only to draw on a terminal.

Exit codes: 0 done; 1 it failed; 2 the command line was wrong; 3 there is no such memory or file; 4 the memory was
changed by someone else meanwhile; 130 interrupted; 141 whoever read the output stopped reading.
"""
