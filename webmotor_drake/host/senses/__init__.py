"""What devices measure of the simulation."""
