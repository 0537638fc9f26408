"""Proves drafts: git apply, semantic diff, bash -n, re-evaluation, Hydra, linters."""
