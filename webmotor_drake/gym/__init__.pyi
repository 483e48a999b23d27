"""The public names, and where they are; see `public_names`."""

from webmotor_drake.gym.actions import Action as Action
from webmotor_drake.gym.environment import WebmotorEnv as WebmotorEnv
from webmotor_drake.gym.instant import Instant as Instant
from webmotor_drake.gym.observations import Computed as Computed
from webmotor_drake.gym.one_plant_vector import (
    WebmotorVectorEnv as WebmotorVectorEnv,
)
from webmotor_drake.gym.registered import register as register
from webmotor_drake.gym.vectors import make_vec as make_vec
