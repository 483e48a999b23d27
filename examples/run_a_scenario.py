"""A scenario from Python: load it, change it, run it, look at the signals."""

import webmotor_drake as wm

scenario = wm.load_scenario("package:pendulum", name="Lift")
motor = scenario.model_drivers["arm"].motors["hinge motor"]
motor.max_torque = 8.0  # N m; the file says 10

results = wm.run(scenario)
print(results.motors)
print(f"ends at {results['arm/hinge motor/position'][-1]:.3f} rad")
print(f"largest torque {abs(results['arm/hinge motor/effort']).max():.3f} N m")
results.save("runs/pendulum")  # run.npz and run.json
