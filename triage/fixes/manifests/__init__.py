"""Files in which a project says what it requires, read without running anything, each requirement with its bytes."""
