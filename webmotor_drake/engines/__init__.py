"""Other engines for the same motors: Drake's own actuators, ODE."""
