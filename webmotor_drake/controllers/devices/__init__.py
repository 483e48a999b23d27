"""The classes that a controller uses."""
