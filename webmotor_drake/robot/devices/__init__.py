"""What a controller calls."""
