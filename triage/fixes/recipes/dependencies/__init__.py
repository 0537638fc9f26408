"""What is installed: a distribution provided, held, widened or taken from elsewhere, at every place that decides it."""
