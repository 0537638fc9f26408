"""Faults seeded into real trees: whether the product finds its way back to the line that was spoilt."""
