"""Read the sessions that agents keep on disk as events. `formats` lists one reader for each agent, `discovery` finds a
workspace's sessions. Text that programs put into messages, sub-agents' sessions and damaged lines are left out.
"""
