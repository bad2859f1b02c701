"""Everything a front can ask for: open workspaces, their background work, and one handler for each method.

`engine` is the facade, `workspaces` finds the folder of a request, `workspace` is one open folder and `components` its
parts. `handlers` answer the methods; `learner` turns events of agents into candidates.
"""
