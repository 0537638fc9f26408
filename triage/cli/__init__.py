"""One file a command: parse flags, build adapters, call the pipeline, print."""
