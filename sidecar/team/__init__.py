"""Share memories between machines and people through PostgreSQL. All reading is local. See README.md."""
