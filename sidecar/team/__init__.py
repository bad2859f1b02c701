"""One memory for a person's machines and for a team: the truth in PostgreSQL, all reading local. See README.md."""
