"""Results of a run: signals, metrics, plots, files. Free of Drake."""
