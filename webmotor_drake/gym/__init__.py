"""Environments to learn in: scenarios with the interface of Gymnasium.

::

    import gymnasium
    import webmotor_drake.gym

    env = gymnasium.make("webmotor_drake/CartPole-v0")
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step([0.1])

To import it registers our environments: CartPole, Reacher, Quadruped and Rover.
`WebmotorEnv` makes one of any scenario; `make_vec` many of them at a time. It needs
the extra `gym`.
"""

import importlib

from webmotor_drake.errors import InputError

try:
    from webmotor_drake.gym.registered import register
except ImportError as error:
    raise InputError(
        "environments need Gymnasium: pip install 'webmotor-drake[gym]'"
    ) from error

_HOME = {
    "Action": "actions",
    "Computed": "observations",
    "Instant": "instant",
    "WebmotorEnv": "environment",
    "WebmotorVectorEnv": "one_plant_vector",
    "make_vec": "vectors",
}
__all__ = sorted([*_HOME, "register"])

register()


def __getattr__(name: str) -> object:
    """Imports what is asked for."""
    if name in _HOME:
        module = importlib.import_module(f"{__name__}.{_HOME[name]}")
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
