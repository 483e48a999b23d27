"""The motors of a scenario, fitted to the log of a real robot."""
