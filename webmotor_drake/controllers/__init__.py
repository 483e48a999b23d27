"""Controllers in Python: their classes, and what runs them."""
