"""Statistics over outcomes: rates with intervals, change points, attribution, cost."""
