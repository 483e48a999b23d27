"""Views of a run: Meshcat, live and again; pictures of motors, pages and films."""
