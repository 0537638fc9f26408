"""Reads a repository's Hydra configuration as text: which keys a program's configuration holds, and what they are.

Nothing is imported from the repository and nothing is instantiated. Real composition, where Hydra is installed, is a
gate (`triage.gates.compose`); this is what every machine can do.
"""
