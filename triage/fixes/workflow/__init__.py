"""Workflows, jobs, steps and actions as GitHub reads them, with the place of every value."""
