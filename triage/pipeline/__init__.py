"""A run, a log, a pull request, a rerun, a sync, a report: each reads like the picture in DESIGN."""
