"""Our own Pioneer 3-DX, from the user guide's tables (Adept Pioneer 3-DX).

Its origin is in the middle of the axle; today's axes: x forward, y left, z up. What
the guide only draws is ours: it says how far the sonars' directions are apart, their
places are those of the robot's parameter file; the weight of the parts is a guess that
adds up to the guide's.
"""

from webmotor_drake.worlds.nodes import Node
from webmotor_drake.worlds.replaced_robots import OLD, wheel
from webmotor_drake.worlds.stand_in import drawn

_RADIUS, _HALF_AXLE = 0.0975, 0.165
# Of 1.2 m/s, rad/s.
_SPEED = 12.3
# Places in m and directions in degrees of so0 to so15.
_SONARS = (
    (0.069, 0.136, 90),
    (0.114, 0.119, 50),
    (0.148, 0.078, 30),
    (0.166, 0.027, 10),
    (0.166, -0.027, -10),
    (0.148, -0.078, -30),
    (0.114, -0.119, -50),
    (0.069, -0.136, -90),
    (-0.157, -0.136, -90),
    (-0.203, -0.119, -130),
    (-0.237, -0.078, -150),
    (-0.255, -0.027, -170),
    (-0.255, 0.027, 170),
    (-0.237, 0.078, 150),
    (-0.203, 0.119, 130),
    (-0.157, 0.136, 90),
)
_LEDS = (
    ("red led 1", "1 0 0"),
    ("red led 2", "1 0 0"),
    ("red led 3", "1 0 0"),
    ("green led", "0 1 0"),
    ("white led", "1 1 1"),
    ("lower yellow led", "1 1 0"),
)
_BODY, _TOP = ".6 .1 .1", ".1 .1 .1"


def _wheel(side: str, y: float) -> str:
    return wheel(
        side,
        f"0 {y} 0",
        f"Cylinder {{ radius {_RADIUS} height 0.05 }}",
        0.7,
        f'name "{side} wheel" maxVelocity {_SPEED}',
    )


def _devices() -> str:
    texts = []
    for i, (x, y, degrees) in enumerate(_SONARS):
        place = (
            f"translation {x} {y} 0.1 rotation 0 0 1 {degrees * 0.0174533!r}"
        )
        texts.append(
            f'DistanceSensor {{ {place} name "so{i}" type "sonar"'
            " lookupTable [ 0 1024 0.01, 5 0 0.01 ] }"
        )
    texts += [
        f'LED {{ name "{name}" color [ {color} ] }}' for name, color in _LEDS
    ]
    return "\n".join(texts)


def pioneer3dx(node: Node) -> tuple[str, str]:
    """Returns our Pioneer 3-DX."""
    old = node.place.source.has_old_axes
    lifted = "0 0.0975 0" if old else "0 0 0.0975"
    turned = OLD if old else ""
    body = "Box { size 0.43 0.27 0.157 }"
    place = "0 0.041 0.045" if old else "-0.045 0 0.041"
    sized = "Box { size 0.27 0.157 0.43 }" if old else body
    text = f"""
    Robot {{
      name "Pioneer 3-DX"
      translation {lifted}
      controller "<none>"
      children [
        Pose {{ {turned} children [
          Pose {{ translation -0.045 0 0.041 children {drawn(body, _BODY)} }}
          Pose {{ translation -0.045 0 0.122
            children {drawn("Box { size 0.45 0.37 0.006 }", _TOP)} }}
          {_wheel("left", _HALF_AXLE)}
          {_wheel("right", -_HALF_AXLE)}
          Solid {{ name "caster" translation -0.2 0 -0.06
            contactMaterial "webmotor slippery"
            boundingObject Sphere {{ radius 0.0375 }}
            physics Physics {{ density -1 mass 0.2 }} }}
          {_devices()}
        ] }}
        Group {{ children IS extensionSlot }}
      ]
      boundingObject Pose {{ translation {place} children {sized} }}
      physics Physics {{ density -1 mass 7.4 }}
    }}
    """
    return text, (
        "a plain box on two wheels and a caster that slides; the sonars' places and"
        " their straight response up to 5 m are ours"
    )
