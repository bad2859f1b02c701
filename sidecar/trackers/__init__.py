"""Issues, merge requests and epics that memories name, as the REST API of GitLab or GitHub describes them.

`named` finds the marks in memories, `targets` parses one (`group/app!12`), `forge` finds the API, `tiers` schedules the
requests. `client` sends one GET, `reading` shortens the answer, `asking` stores it, `closing` resolves blockers of what
was closed, and `work` runs all this for one workspace. Nothing is sent without a token, and nothing is ever written to
a forge.
"""
