"""How a workflow is put together: steps, guards, limits, groups, variables, and what siblings do about them."""
