"""Issues, merge requests and epics as GitLab or GitHub tell of them over REST.

`forge` says which API belongs to a repository's `origin` and whether it may be asked, `targets` what a mark such as
`group/app!12` is there, `client` asks (one GET, no key to another host), `reading` reads what comes back. It sends
nothing unless it is given a forge with a token, keeps nothing, decides on no time, and writes nothing to a forge.
"""
