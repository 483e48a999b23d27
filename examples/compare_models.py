"""The same commands under Webots motors and under Drake's PD actuators."""

import webmotor_drake as wm

scenario = wm.load_scenario(
    "package:two_link_arm", text="{simulation_duration: 2}"
)
comparison = wm.compare(scenario, models=["webots", "drake_pd"])
print(comparison.table())
for motor in comparison.motors:
    distance = comparison.largest_difference("drake_pd", motor, "position")
    print(f"{motor}: up to {distance:.3f} rad apart")
