"""Look up the issues, merge requests and epics that memories name, by the REST API of GitLab or GitHub.

Without a token no request is sent, and no request ever changes anything on a forge.
"""
