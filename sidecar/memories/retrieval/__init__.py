"""Find memories: match and rank them, say how likely and why, and return them in pages."""
