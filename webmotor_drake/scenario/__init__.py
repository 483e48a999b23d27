"""The scenario file: from YAML to a checked `Scenario`."""
