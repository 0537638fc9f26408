"""Decodes, lints and publishes the format of signatures."""
