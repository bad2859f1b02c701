"""Who works in a workspace now: sessions that start, send heartbeats, end or expire.

Plain functions over the store's session records with an explicit clock; safe across processes, because every change is
one transaction on the record. This room deliberately knows no events and no learning, and keeps no state.
"""
