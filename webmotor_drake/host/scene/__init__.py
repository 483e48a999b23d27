"""The world as a supervisor sees it: nodes, their fields, and what moves them."""
