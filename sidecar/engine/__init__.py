"""Everything a front can ask for: open workspaces, their background work, and one handler for each method."""
