"""Models of robots by others: their motors, limits and gains, read from their files."""
