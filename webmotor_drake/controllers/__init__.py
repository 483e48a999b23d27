"""Controllers in Python: their classes, and the runs of them."""
