"""Makes the static table anew from the weights of MiniLM: `python -m sidecar.models.distill FILE`.

Run by whoever changes the table, never by the sidecar. Needs the extra `distill`; see `../data/README.md` for the
source and licence of the weights. One thread, a fixed order, integer arithmetic where a library's own order of
additions could show, and signs settled by a rule: the same versions on the same kind of processor make the same
bytes.
"""
