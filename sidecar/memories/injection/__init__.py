"""Make the block that an agent is shown: choose, pack and render memories, and note what was shown."""
