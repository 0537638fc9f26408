"""A partial evaluator of shell: what is unknown stays unknown, and every value remembers where it was written."""
