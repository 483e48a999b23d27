"""Measurements of devices in the simulation."""
