"""Controller files, and how they run beside the simulation."""
