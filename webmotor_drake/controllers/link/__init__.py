"""What stands between a controller's devices and the simulation."""
