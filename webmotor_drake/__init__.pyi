"""The public names, and where they are; see `public_names`."""

from webmotor_drake import gym as gym, nodes as nodes
from webmotor_drake.comparison.comparison import Comparison as Comparison
from webmotor_drake.comparison.comparison_run import compare as compare
from webmotor_drake.contact.configure import (
    configure_contact as configure_contact,
)
from webmotor_drake.controllers.session import RobotSession as RobotSession
from webmotor_drake.data import (
    MODELS as MODELS,
    SCENARIOS as SCENARIOS,
)
from webmotor_drake.drive.driver import (
    ApplyDriverConfig as ApplyDriverConfig,
    WebotsMotorDriver as WebotsMotorDriver,
    configure_actuators as configure_actuators,
)
from webmotor_drake.drive.external_forces import add_forces as add_forces
from webmotor_drake.drive.joint_wrenches import JointWrenches as JointWrenches
from webmotor_drake.drive.many_robots import (
    ApplyDriverConfigToMany as ApplyDriverConfigToMany,
)
from webmotor_drake.drive.motor_system import MotorSystem as MotorSystem
from webmotor_drake.drive.multi_axis_joints import (
    add_ball_joint as add_ball_joint,
    add_hinge2_joint as add_hinge2_joint,
)
from webmotor_drake.errors import (
    InputError as InputError,
    MotorWarning as MotorWarning,
    SimulationError as SimulationError,
    WebmotorError as WebmotorError,
)
from webmotor_drake.fitting.evaluation import Evaluation as Evaluation
from webmotor_drake.fitting.experiment_spec import (
    ExperimentSpec as ExperimentSpec,
)
from webmotor_drake.fitting.fit import evaluate as evaluate, fit as fit
from webmotor_drake.fitting.log_file import load_log as load_log
from webmotor_drake.fitting.motor_fit import MotorFit as MotorFit
from webmotor_drake.fitting.parameter import ParameterSpec as ParameterSpec
from webmotor_drake.fitting.ranking import (
    ModelRank as ModelRank,
    rank_models as rank_models,
)
from webmotor_drake.fitting.robot_log import RobotLog as RobotLog
from webmotor_drake.fitting.solve import FitSettings as FitSettings
from webmotor_drake.interrupts import RunInterrupted as RunInterrupted
from webmotor_drake.limits import unlimited as unlimited
from webmotor_drake.loading import load_scenario as load_scenario
from webmotor_drake.motor.commands import TimedCommand as TimedCommand
from webmotor_drake.nodes.body_sensors import (
    GPS as GPS,
    Accelerometer as Accelerometer,
    Altimeter as Altimeter,
    Compass as Compass,
    Gyro as Gyro,
    InertialUnit as InertialUnit,
)
from webmotor_drake.nodes.connectors import (
    Connector as Connector,
    VacuumGripper as VacuumGripper,
)
from webmotor_drake.nodes.dc_motor import DcMotor as DcMotor
from webmotor_drake.nodes.device import Pose as Pose
from webmotor_drake.nodes.distance import (
    DistanceSensor as DistanceSensor,
    Radar as Radar,
    TouchSensor as TouchSensor,
)
from webmotor_drake.nodes.images import (
    Camera as Camera,
    Display as Display,
    Lidar as Lidar,
    RangeFinder as RangeFinder,
    Recognition as Recognition,
    Zoom as Zoom,
)
from webmotor_drake.nodes.joints import (
    BallJoint as BallJoint,
    Brake as Brake,
    Hinge2Joint as Hinge2Joint,
    JointParameters as JointParameters,
    PositionSensor as PositionSensor,
)
from webmotor_drake.nodes.lights import (
    DirectionalLight as DirectionalLight,
    LightSensor as LightSensor,
    PointLight as PointLight,
    SpotLight as SpotLight,
)
from webmotor_drake.nodes.motor_models import (
    Elastic as Elastic,
    Friction as Friction,
    Learned as Learned,
    Pd as Pd,
    Thermal as Thermal,
)
from webmotor_drake.nodes.motors import (
    LinearMotor as LinearMotor,
    RotationalMotor as RotationalMotor,
)
from webmotor_drake.nodes.radio import Emitter as Emitter, Receiver as Receiver
from webmotor_drake.nodes.servo import Servo as Servo
from webmotor_drake.nodes.signs import (
    LED as LED,
    Pen as Pen,
    Speaker as Speaker,
)
from webmotor_drake.results.motion_file import (
    load_motion as load_motion,
    write_motion as write_motion,
)
from webmotor_drake.results.results import Results as Results
from webmotor_drake.results.sound import write_sound as write_sound
from webmotor_drake.robot_files.import_robot import (
    ImportedRobot as ImportedRobot,
    import_robot as import_robot,
)
from webmotor_drake.runner import run as run
from webmotor_drake.scenario.directives import add_models as add_models
from webmotor_drake.scenario.packages import add_packages as add_packages
from webmotor_drake.scenario.scenario import Scenario as Scenario
from webmotor_drake.simulation.diagram import build_diagram as build_diagram
from webmotor_drake.simulation.linearize import (
    Linearization as Linearization,
    linearize as linearize,
)
from webmotor_drake.simulation.motor_loop import MotorLoop as MotorLoop
from webmotor_drake.simulation.motor_stepper import MotorStepper as MotorStepper
from webmotor_drake.simulation.station import make_station as make_station
from webmotor_drake.sweep.runs import SweepRuns as SweepRuns
from webmotor_drake.sweep.study import Study as Study, load_study as load_study
from webmotor_drake.sweep.study_run import run_study as run_study
from webmotor_drake.view.live_page import LivePage as LivePage
from webmotor_drake.view.page import write_page as write_page
from webmotor_drake.view.replay import replay as replay
from webmotor_drake.view.video import write_video as write_video

__version__: str
