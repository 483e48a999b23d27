"""The fit of a pendulum under a PD controller, by MuJoCo's mujoco.sysid."""

import contextlib
import io
import time

import numpy as np

# The pendulum of models/pendulum.urdf; gains are kp and kd.
MODEL = """
<mujoco>
  <option timestep="{step}" integrator="implicitfast">
    <flag contact="disable"/>
  </option>
  <worldbody>
    <body name="link">
      <joint name="hinge" type="hinge" axis="0 1 0" armature="0" damping="0"/>
      <inertial pos="0 0 -0.25" mass="1" diaginertia="0.02093 0.02093 0.0002"/>
    </body>
  </worldbody>
  <actuator>
    <position name="motor" joint="hinge" kp="{kp}" kv="{kd}"/>
  </actuator>
  <sensor><jointpos name="position" joint="hinge"/></sensor>
</mujoco>
"""


def missing() -> str:
    """Returns why there is no mujoco.sysid here; empty: it is there."""
    try:
        from mujoco import sysid
    except ImportError:
        return "mujoco is not installed"
    return "" if hasattr(sysid, "optimize") else "mujoco has no sysid here"


def fit(
    time_s: np.ndarray,
    target: np.ndarray,
    position: np.ndarray,
    bounds: dict[str, tuple[float, float, float]],
    *,
    step: float,
    kd: float,
) -> tuple[dict[str, float], float]:
    """Fits gain, damping and armature of the pendulum.

    Args:
        time_s: shape (N,), s.
        target: shape (N,), rad.
        position: what was measured, shape (N,), rad.
        bounds: low, high and start of "gain", "damping" and "inertia".
        step: the time step, s.
        kd: the controller's, N m s/rad.

    Returns:
        The estimates, and the runs per second.
    """
    import mujoco
    from mujoco import sysid

    spec = mujoco.MjSpec.from_string(
        MODEL.format(step=step, kp=bounds["gain"][2], kd=kd)
    )
    steps = np.arange(0, time_s[-1] + step / 2, step)
    held = target[np.searchsorted(time_s, steps + 1e-9, side="right") - 1]
    model = spec.compile()
    parameters = sysid.ParameterDict()
    for name, (low, high, start) in bounds.items():
        parameters.add(
            sysid.Parameter(name, start, low, high, modifier=_SET[name])
        )
    sequence = sysid.ModelSequences(
        "pendulum",
        spec,
        "log",
        sysid.create_initial_state(model, np.array([position[0]])),
        sysid.TimeSeries(steps, held[:, np.newaxis]),
        sysid.TimeSeries.from_names(time_s, position[:, np.newaxis], model),
    )
    residual = sysid.build_residual_fn(models_sequences=[sequence])
    runs = 0

    def counted(x: np.ndarray, params: object, **options: object) -> object:
        nonlocal runs
        runs += 1 if np.ndim(x) == 1 else np.shape(x)[1]
        return residual(x, params, **options)

    began = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):  # it tells of each step
        found, _ = sysid.optimize(parameters, counted, verbose=False)
    wall = time.perf_counter() - began
    return {name: float(found[name].value[0]) for name in bounds}, runs / wall


def _set_gain(spec: object, parameter: object) -> None:
    kp, actuator = parameter.value[0], spec.actuator("motor")
    actuator.gainprm[0] = kp
    actuator.biasprm[1] = -kp


def _set_damping(spec: object, parameter: object) -> None:
    joint = spec.joint("hinge")
    if np.ndim(joint.damping):  # newer ones have a polynomial
        joint.damping[0] = parameter.value[0]
    else:
        joint.damping = parameter.value[0]


_SET = {
    "gain": _set_gain,
    "damping": _set_damping,
    "inertia": lambda spec, p: setattr(
        spec.joint("hinge"), "armature", p.value[0]
    ),
}
