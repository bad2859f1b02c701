"""Everything a front can ask for: open workspaces, the background work in each, and one handler for each method.

`engine` is the facade, `workspaces` knows which folder a request is about, `workspace` is one open folder and
`components` what it is made of. `handlers` answers the methods; `learner` turns events of agents into candidates.
"""
