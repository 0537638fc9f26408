"""Reads raw job logs: one streamed pass over bytes, in bounded memory.

Two levels of cleaning. `visible` works on whole blocks and keeps every newline where it was: encoding, escape
sequences, control characters, carriage returns. `parse` works on one visible line, and only on lines that something
asked for: columns, stamp, stream prefixes, progress bars. The text of a parsed line is always a part of its visible
line, so whatever is found in no visible line is in no text either: that is what lets `triage.matching` look at blocks.
"""

from triage.logs.windows import window

__all__ = ["window"]
