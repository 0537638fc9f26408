"""The history of outcomes, in SQLite or PostgreSQL."""
