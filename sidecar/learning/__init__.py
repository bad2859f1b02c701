"""Find lessons in the events of a session by rules, without a model, as a pure function of plain values and a clock.

`AgentSessions` (`engine`) feeds each event to `LearningSession.learn_from` (`session.py`) and turns the lessons into
candidates or memories. Storing, redacting and comparing with what is known are left to it.
"""
