"""Issues, merge requests and epics that memories name, as GitLab or GitHub tell of them over REST.

`named` finds the marks in memories, `targets` reads one (`group/app!12`), `forge` says whose API answers, `tiers` when
to ask again. `client` sends one GET, `reading` shortens the answer, `asking` keeps it, `closing` resolves blockers of
what was closed, and `work` runs all this for one workspace. Nothing is sent without a token, or written to a forge.
"""
