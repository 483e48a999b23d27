"""Contact of shapes: its kind for each shape, materials, settings for standing."""
