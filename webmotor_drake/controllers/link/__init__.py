"""The link between a controller's devices and the simulation."""
