"""Environments to learn in: scenarios with the interface of Gymnasium.

::

    import gymnasium
    import webmotor_drake.gym

    env = gymnasium.make("webmotor_drake/CartPole-v0")
    observation, info = env.reset(seed=0)
    observation, reward, terminated, truncated, info = env.step([0.1])

Importing it registers our environments: CartPole, Reacher, Quadruped and Rover.
`WebmotorEnv` makes an environment of any scenario, `make_vec` many at a time. It needs
the extra `gym`.
"""

from webmotor_drake.errors import InputError
from webmotor_drake.public_names import PublicNames

try:
    from webmotor_drake.gym.registered import register
except ImportError as error:
    raise InputError(
        "environments need Gymnasium: pip install 'webmotor-drake[gym]'"
    ) from error

_NAMES = PublicNames(__name__, __file__)
__all__ = sorted(_NAMES)

register()


def __getattr__(name: str) -> object:
    """Imports a public name when it is asked for."""
    return _NAMES.get(name)


def __dir__() -> list[str]:
    return __all__
