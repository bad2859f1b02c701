"""Find lessons in the events of a session by rules, without a model, as a pure function of plain values and a clock.

Storing, redacting and comparing with what is known are left to the caller.
"""
