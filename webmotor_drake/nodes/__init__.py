"""Webots' nodes as it describes them: fields, units, defaults, and their rules."""

from webmotor_drake.nodes.body_sensors import *
from webmotor_drake.nodes.connectors import *
from webmotor_drake.nodes.contact import *
from webmotor_drake.nodes.dc_motor import *
from webmotor_drake.nodes.device import Pose as Pose
from webmotor_drake.nodes.distance import *
from webmotor_drake.nodes.images import *
from webmotor_drake.nodes.joints import *
from webmotor_drake.nodes.lights import *
from webmotor_drake.nodes.motor_models import *
from webmotor_drake.nodes.motors import *
from webmotor_drake.nodes.radio import *
from webmotor_drake.nodes.servo import *
from webmotor_drake.nodes.signs import *
