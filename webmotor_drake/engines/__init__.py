"""Other things that carry the same motors: Drake's actuators, ODE."""
