"""Our own e-puck, from the user guide's tables (gctronic e-puck).

Sensors are where the guide says, turned into today's axes: x forward, y left, z up;
its origin is on the floor between the wheels. What the guide only draws, such as the
response of the proximity sensors, is ours.
"""

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.stand_in import drawn

# Today's axes, in those of files of before R2022a: -z forward, x right, y up.
OLD = "rotation -0.57735026919 0.57735026919 0.57735026919 2.0943951023932"

# Their texts have today's axes in all files.
TODAYS_AXES = frozenset(
    {"E-puck", "E-puckDistanceSensor", "E-puckGroundSensors", "Pioneer3dx"}
)

# Place of proximity and light sensors: x, y and the direction about z.
_EYES = (
    (0.030, -0.010, -0.30),
    (0.022, -0.025, -0.80),
    (0.000, -0.031, -1.57),
    (-0.030, -0.015, -2.64),
    (-0.030, 0.015, 2.64),
    (0.000, 0.031, 1.57),
    (0.022, 0.025, 0.80),
    (0.030, 0.010, 0.30),
)
# Distance (m), value, noise: ours. Beyond the thresholds of most controllers (some
# 80) lies what is further than 5 cm.
_RESPONSE = """
    0 4000 0.005, 0.005 2600 0.01, 0.01 1600 0.015, 0.015 1050 0.02,
    0.02 680 0.03, 0.03 330 0.04, 0.04 165 0.05, 0.05 100 0.06,
    0.06 68 0.08, 0.07 60 0.1
"""
# What the second version looks ahead with: its value is in mm, up to 2 m.
_TIME_OF_FLIGHT = """
    DistanceSensor { translation 0.035 0 0.03 name "tof" type "laser"
      lookupTable [ 0 0 0, 2 2000 0 ] }
"""
DARK, _GREEN, _GOLD = ".12 .12 .13", ".3 .6 .35", ".8 .7 .35"


def wheel(
    side: str, center: str, tyre: str, mass: float, motor: str, sensor: str = ""
) -> str:
    """Returns the text of a driven wheel.

    Args:
        side: "left" or "right".
        center: where it is.
        tyre: its Cylinder.
        mass: kg.
        motor: the fields of its motor.
        sensor: those of its sensor, besides the name.
    """
    lying = "rotation 1 0 0 1.5707963267948966"
    return f"""
    HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 anchor {center} }}
      device [
        RotationalMotor {{ {motor} }}
        PositionSensor {{ name "{side} wheel sensor" {sensor} }}
      ]
      endPoint Solid {{
        translation {center}
        name "{side} wheel"
        children Pose {{ {lying} children {drawn(tyre, DARK)} }}
        boundingObject Pose {{ {lying} children {tyre} }}
        physics Physics {{ density -1 mass {mass} }}
      }}
    }}"""


def _wheel(side: str, y: float, speed: float) -> str:
    return wheel(
        side,
        f"0 {y} 0.0205",
        "Cylinder { radius 0.0205 height 0.004 }",
        0.005,
        f'name "{side} wheel motor" maxVelocity {speed} maxTorque 0.1',
        "resolution 0.00628",
    )


def _eyes() -> str:
    texts = []
    for i, (x, y, yaw) in enumerate(_EYES):
        place = f"translation {x} {y} 0.033 rotation 0 0 1 {yaw}"
        texts.append(
            f'DistanceSensor {{ {place} name "ps{i}" numberOfRays 2'
            f" aperture 0.3 lookupTable [ {_RESPONSE} ] }}"
            f'LightSensor {{ {place} name "ls{i}"'
            " lookupTable [ 0 4095 0.002, 2 0 0 ] }"
        )
    for i in range(10):
        color = "0.2 1 0.2" if i == 8 else "1 0.1 0.1"
        texts.append(f'LED {{ name "led{i}" color [ {color} ] }}')
    return "\n".join(texts)


def e_puck(node: Node) -> tuple[str, str]:
    """Returns our e-puck."""
    second = node.text("version", "1").startswith("2")
    mass, speed = (0.12, 7.54) if second else (0.14, 6.28)
    old = node.place.source.has_old_axes
    turned = OLD if old else ""
    up = "0 0.047 0" if old else "0 0 0.047"
    camera = (
        f"fieldOfView {node.number('camera_fieldOfView', 0.84)!r}"
        f" width {int(node.number('camera_width', 52))}"
        f" height {int(node.number('camera_height', 39))}"
        f" noise {node.number('camera_noise', 0.0)!r}"
    )
    tilt = " ".join(map(repr, node.numbers("camera_rotation", (1, 0, 0, 0))))
    com = "0 0.015 0" if old else "0 0 0.015"
    bound = "Cylinder { radius 0.0355 height 0.04 }"
    text = f"""
    Robot {{
      name "e-puck"
      controller "<none>"
      children [
        Pose {{ {turned} children [
          Pose {{ translation 0 0 0.03 children {drawn(bound, _GREEN)} }}
          Pose {{ translation 0 0 0.051
            children {drawn("Cylinder { radius 0.03 height 0.002 }", _GOLD)} }}
          {_wheel("left", 0.026, speed)}
          {_wheel("right", -0.026, speed)}
          Solid {{ name "sliders" contactMaterial "webmotor slippery"
            boundingObject Group {{ children [
              Pose {{ translation 0.027 0 0.005 children Sphere {{ radius 0.0049 }} }}
              Pose {{ translation -0.027 0 0.005 children Sphere {{ radius 0.0049 }} }}
            ] }}
            physics Physics {{ density -1 mass 0.001 }} }}
          {_eyes()}
          {_TIME_OF_FLIGHT if second else ""}
          Camera {{ translation 0.03 0 0.028 rotation {tilt} name "camera" {camera} }}
          Emitter {{ name "emitter" range 0.5
            channel {int(node.number("emitter_channel", 1))} }}
          Receiver {{ name "receiver"
            channel {int(node.number("receiver_channel", 1))} }}
          Speaker {{ name "speaker" }}
        ] }}
        Accelerometer {{ name "accelerometer" }}
        Gyro {{ name "gyro" }}
        Group {{ children IS groundSensorsSlot }}
        Pose {{ translation {up} children Group {{ children IS turretSlot }} }}
      ]
      boundingObject Pose {{ {_standing(old)} children {bound} }}
      physics Physics {{ density -1 mass {mass} centerOfMass [ {com} ] }}
    }}
    """
    differs = (
        "a plain cylinder on two wheels; the proximity sensors' response is ours,"
        " seeing what collides"
    )
    if node.truth("kinematic", False):
        differs += "; it moves by its wheels' forces, not kinematically"
    return text, differs


def _standing(old: bool) -> str:
    """Returns the pose of the middle of the body."""
    if old:
        return "translation 0 0.03 0 rotation 1 0 0 -1.5707963267948966"
    return "translation 0 0 0.03"


def e_puck_distance_sensor(node: Node) -> tuple[str, str]:
    """Returns a proximity sensor of the e-puck."""
    text = (
        'DistanceSensor { name "ps" numberOfRays 2 aperture 0.3'
        f" lookupTable [ {_RESPONSE} ] }}"
    )
    return text, "a sensor with a response of our own"


def e_puck_ground_sensors(node: Node) -> tuple[str, str]:
    """Returns the three sensors that look at the floor in front.

    They read some 900 over white and 300 over black, between which lie the thresholds
    of most controllers: infra-red light sees black five times as far as white.
    """
    sensors = "\n".join(
        f'DistanceSensor {{ translation 0 {y} 0 name "gs{i}" type "infra-red"'
        " lookupTable [ 0 1000 0.002, 0.012 900 0.002, 0.027 500 0.003,"
        " 0.06 300 0.004, 0.1 0 0 ] }"
        for i, y in enumerate((0.009, 0.0, -0.009))
    )
    pose = "translation 0.03 0 0.012 rotation 0 1 0 1.5707963267948966"
    turned = OLD if node.place.source.has_old_axes else ""
    text = (
        f"Pose {{ {turned} children Pose {{ {pose} children [ {sensors} ] }} }}"
    )
    return text, "three sensors with a response of our own"
