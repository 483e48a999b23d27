"""Motor models beside Webots' servos: laws of effort, vectorised, free of Drake."""
