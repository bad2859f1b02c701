"""Who works in a workspace now, and what is to be done: sessions, claims, reminders; keeps no state of its own."""
