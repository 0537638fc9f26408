"""Where in the repository a failed job lies when nobody says so, or its own shell does not lead there."""
