"""Issues, merge requests and epics that memories name, as the REST API of GitLab or GitHub describes them.

Nothing is sent without a token, and nothing is ever written to a forge.
"""
