"""The world as a supervisor sees it: nodes, their fields, and their motion."""
