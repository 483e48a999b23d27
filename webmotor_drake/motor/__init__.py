"""What Webots says a motor is: nodes, law, commands. Free of Drake."""
