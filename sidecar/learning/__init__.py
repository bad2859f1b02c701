"""Turns the events of a session into lessons worth keeping, as a pure function of plain values and a clock: by rules,
without a model. It stores nothing, redacts nothing and does not decide whether a lesson is new.
"""
