"""YAML files that a program is given on its command line: what they hold, which they build on, how to set a key."""
