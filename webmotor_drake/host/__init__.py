"""The simulator's side of robots: what they sense, what commands do, the scene."""
