class Pipe:
    """Stages of a model."""
