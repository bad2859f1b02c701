"""Read the sessions that agents keep on disk as events.

Text that programs put into messages, sub-agents' sessions and damaged lines are left out.
"""
