"""Learning from what happens: events of a session go in, lessons worth keeping come out.

Plain values in, plain values out, under an explicit clock: commands and their outcomes, edits and messages become
lessons; statements in messages are recognised by rules, with no model. This room deliberately stores nothing,
redacts nothing, knows no workspace and does not decide whether a lesson is new: the facade does that.
"""
