"""Rules that recognise statements in sentences: preferences, corrections, decisions, blockers and lessons.

Each rule reads one sentence in the form that `sidecar.text.sentences.read` gives (lower case, code and quotations
masked) and says what it found and where. Deliberately no models, no state and no word lists that name single
products; what a sentence is about is left as it was written. English in depth, other languages in their simple forms.
"""
