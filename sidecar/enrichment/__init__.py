"""What a forge says of the issues, merge requests and epics that memories name, brought up to date in the background.

`named` finds what memories name and when, `tiers` says when a thing is due to be asked about, `asking` asks and keeps
the answer, `closing` resolves the blockers of what was closed, `work` is one workspace's. It never delays a request and
starts nothing unless a forge with a token is configured. HTTP is the trackers' business, rows are the store's.
"""
