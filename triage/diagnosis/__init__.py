"""Chooses the root cause from what matched, and reads the facts that fixes need."""
