"""What may become a memory: candidates with their evidence, and the statements that change or repeat one."""
