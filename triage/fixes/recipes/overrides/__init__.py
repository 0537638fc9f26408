"""What a program is told: overrides, knobs, flags and arguments, at the one place that decides them in this job."""
