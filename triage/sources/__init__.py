"""Inputs from disk: log files, folders and zips, the catalogue's folders, trees from git."""
