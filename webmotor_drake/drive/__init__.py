"""The motors as systems of a Drake diagram."""
