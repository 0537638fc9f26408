"""`repair_line`: what a shell says of a line of a script, mended at that line."""
