"""Merges the shards of a checkpoint (made up)."""
