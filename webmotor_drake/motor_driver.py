"""The driver under the name that programs of hardware_sim's shape import."""

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)

__all__ = ["ApplyDriverConfig", "WebotsMotorDriver", "configure_actuators"]
