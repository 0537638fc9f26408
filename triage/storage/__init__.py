"""The history of outcomes, in SQLite or PostgreSQL.

`database` opens and migrates it, `outcomes`, `listing` and `ledger` write it, `aggregates` and `series` count it,
`exchange` copies it out and in.
"""
