"""PostgreSQL as the database of the arena."""
