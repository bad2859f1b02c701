"""Share memories between machines and people through PostgreSQL; all reading is local. See README.md."""
