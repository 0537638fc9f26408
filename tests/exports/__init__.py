"""Reads from packages' histories with which release they lost or got a name: the table `exports`."""
