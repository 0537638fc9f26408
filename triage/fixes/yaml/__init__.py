"""YAML by node marks: nothing is ever dumped; scalars are mapped character by character to their source."""
