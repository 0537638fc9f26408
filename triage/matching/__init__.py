"""Matches any number of signatures against a log with google-re2."""
