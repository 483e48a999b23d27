"""Webots' motors: configuration, law, commands. Free of Drake."""
