"""From a scenario to results."""
