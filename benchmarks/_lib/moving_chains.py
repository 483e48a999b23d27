"""The chains in motion: each joint told a sine of its own, and ways to follow it.

Drake's own `Sine` tells all of them: positions at the command port of Webots motors,
positions and velocities at the desired state of Drake's actuators.
"""

import functools

import numpy as np
from _lib import chains
from pydrake.multibody.tree import PdControllerGains
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder
from pydrake.systems.primitives import Multiplexer, Sine, VectorLogSink

from webmotor_drake import ApplyDriverConfig

AMPLITUDE = 0.2  # rad
ENOUGH = 1e5  # N m: no motor is ever at this limit
# The part of a sine's period in which peaks of torque are looked for.
LONGEST = 4.0  # s


def sines(builder: DiagramBuilder, links: int) -> Sine:
    """Adds the sines: from 2 rad/s upwards, no two alike."""
    number = np.arange(links)
    return builder.AddSystem(
        Sine(
            amplitudes=np.full(links, AMPLITUDE),
            frequencies=2.0 + 0.1 * number,
            phases=0.5 * number,
            is_time_based=True,
        )
    )


def bare(links: int) -> Simulator:
    """The plant alone, its actuation 0."""
    return chains.bare(links, sampled=False)


def drake_pd(links: int, *, max_torque: float = ENOUGH) -> Simulator:
    """Drake's own PD actuators."""
    builder = DiagramBuilder()
    plant, _ = chains.chains(
        builder, links, 1, sampled=False, max_torque=max_torque
    )
    for index in plant.GetJointActuatorIndices():
        plant.get_joint_actuator(index).set_controller_gains(
            PdControllerGains(p=1e6, d=1e5)
        )
    plant.Finalize()
    told = sines(builder, links)
    desired = builder.AddSystem(Multiplexer([links, links]))
    for i in range(2):  # positions, velocities
        builder.Connect(told.get_output_port(i), desired.get_input_port(i))
    instance = plant.GetModelInstanceByName("chain0")
    builder.Connect(
        desired.get_output_port(), plant.get_desired_state_input_port(instance)
    )
    return chains.started(builder)


def motors(links: int, *, max_torque: float = ENOUGH) -> Simulator:
    """Webots motors."""
    builder, _ = _driven(links, max_torque)
    return chains.started(builder)


@functools.cache
def peak_torque(links: int) -> float:
    """Returns the largest torque that motion needs in its first seconds, N m."""
    builder, system = _driven(links, ENOUGH)
    sink = builder.AddSystem(VectorLogSink(links))
    builder.Connect(system.get_effort_output_port(), sink.get_input_port())
    simulator = chains.started(builder)
    simulator.AdvanceTo(LONGEST)
    # The way to the sines in the beginning is not motion along them.
    log = sink.FindLog(simulator.get_context())
    return float(np.abs(log.data()[:, log.sample_times() > LONGEST / 4]).max())


def _driven(links: int, max_torque: float):
    """Returns the builder of a chain with Webots motors, and their system."""
    builder = DiagramBuilder()
    plant, (name,) = chains.chains(
        builder, links, 1, sampled=False, max_torque=max_torque
    )
    plant.Finalize()
    config = chains.driver_of(links, max_torque=max_torque)
    config.commands = []
    system = ApplyDriverConfig(config, name, plant, builder=builder)
    builder.Connect(
        sines(builder, links).get_output_port(0),
        system.GetInputPort("target_position"),
    )
    return builder, system
