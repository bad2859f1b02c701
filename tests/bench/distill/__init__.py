"""Makes the static table anew: `python -m tests.bench.distill FILE --texts FOLDER`.

The rows begin as the states that MiniLM gives each piece read alone, reduced and weighted, and are then trained so
that a text's sum of rows lies as MiniLM's vector of the whole text does. Run by whoever changes the table, never by
the sidecar. Needs the extra `distill`; `sidecar/models/data/README.md` has source and licence of the weights and the
kinds of text. What is drawn by lot is drawn from a fixed seed, so that on one machine and one thread the same texts
make the same table.
"""
