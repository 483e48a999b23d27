"""Seeing it: Meshcat, live and again; pictures of motors, pages and films."""
