"""What a run leaves: signals, metrics, plots, files. Free of Drake."""
