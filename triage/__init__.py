"""Takes a red GitHub Actions run to a named root cause and a verified patch."""

__version__ = "0.1.0"
