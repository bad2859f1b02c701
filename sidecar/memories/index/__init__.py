"""The index of all memories, held in memory: what it holds, how it follows the stores, and its snapshots."""
