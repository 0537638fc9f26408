"""The shell commands of a step and of the scripts that it runs: repaired, retried, tolerated, removed."""
