"""The driver under the module name that programs like hardware_sim import."""

from webmotor_drake.drive.driver import (
    ApplyDriverConfig,
    WebotsMotorDriver,
    configure_actuators,
)

__all__ = ["ApplyDriverConfig", "WebotsMotorDriver", "configure_actuators"]
