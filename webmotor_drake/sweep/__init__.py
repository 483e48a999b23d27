"""Many variations of one scenario, in processes here or on a cluster."""
