"""What texts say: the name of a memory, its gist, and whether two texts contradict each other."""
