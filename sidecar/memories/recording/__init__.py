"""Write new memories: check, merge, link and store what is recorded, learned, imported or restored."""
