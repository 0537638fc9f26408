"""A made-up trainer."""
