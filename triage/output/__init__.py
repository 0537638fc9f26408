"""Presenters: render(result) -> str, and nothing is printed here."""
