"""Who works in a workspace now: sessions that start, beat, end or expire.

Plain functions over the store's session records under an explicit clock; safe for several processes, because every
change is one transaction on the record. This room deliberately knows no events and no learning, and keeps no state.
"""
