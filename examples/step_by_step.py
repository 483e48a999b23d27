"""Webots' controller API in a program: command, step, look, decide."""

import webmotor_drake as wm

scenario = wm.load_scenario(
    "package:pendulum",
    name="Lift",
    text="{model_drivers: {arm: {commands: [], position_sensors:"
    " {hinge sensor: {joint: hinge}}}}}",
)
with wm.RobotSession(scenario) as session:
    robot = session.robot("arm")
    motor = robot.getDevice("hinge motor")
    sensor = robot.getDevice("hinge sensor")
    sensor.enable(8)  # ms
    motor.setPosition(float("inf"))  # velocity control
    motor.setVelocity(1.0)
    while robot.step(8) != -1:
        if sensor.getValue() > 0.5:  # rad
            motor.setVelocity(0.0)
    print(f"stopped at {sensor.getValue():.3f} rad")
