"""Webots' worlds and PROTOs: from their text to a Scenario."""
