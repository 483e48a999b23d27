"""One scenario under several motor models."""
