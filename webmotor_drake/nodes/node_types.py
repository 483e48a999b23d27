"""The numbers of Webots' nodes that `getNodeType` and `getType` give."""

# Whose names are not just in capitals.
_NAMES = {
    "GPS": "GPS",
    "LED": "LED",
    "PBR_APPEARANCE": "PBRAppearance",
}


class Node:
    """Webots' node numbers (webots/nodes.h)."""

    NO_NODE = 0
    APPEARANCE = 1
    BACKGROUND = 2
    BILLBOARD = 3
    BOX = 4
    CAD_SHAPE = 5
    CAPSULE = 6
    COLOR = 7
    CONE = 8
    COORDINATE = 9
    CYLINDER = 10
    DIRECTIONAL_LIGHT = 11
    ELEVATION_GRID = 12
    FOG = 13
    GROUP = 14
    IMAGE_TEXTURE = 15
    INDEXED_FACE_SET = 16
    INDEXED_LINE_SET = 17
    MATERIAL = 18
    MESH = 19
    MUSCLE = 20
    NORMAL = 21
    PBR_APPEARANCE = 22
    PLANE = 23
    POINT_LIGHT = 24
    POINT_SET = 25
    POSE = 26
    SHAPE = 27
    SPHERE = 28
    SPOT_LIGHT = 29
    TEXTURE_COORDINATE = 30
    TEXTURE_TRANSFORM = 31
    TRANSFORM = 32
    VIEWPOINT = 33
    ROBOT = 34
    ACCELEROMETER = 35
    ALTIMETER = 36
    BRAKE = 37
    CAMERA = 38
    COMPASS = 39
    CONNECTOR = 40
    DISPLAY = 41
    DISTANCE_SENSOR = 42
    EMITTER = 43
    GPS = 44
    GYRO = 45
    INERTIAL_UNIT = 46
    LED = 47
    LIDAR = 48
    LIGHT_SENSOR = 49
    LINEAR_MOTOR = 50
    PEN = 51
    POSITION_SENSOR = 52
    PROPELLER = 53
    RADAR = 54
    RANGE_FINDER = 55
    RECEIVER = 56
    ROTATIONAL_MOTOR = 57
    SKIN = 58
    SPEAKER = 59
    TOUCH_SENSOR = 60
    VACUUM_GRIPPER = 61
    BALL_JOINT = 62
    BALL_JOINT_PARAMETERS = 63
    CHARGER = 64
    CONTACT_PROPERTIES = 65
    DAMPING = 66
    FLUID = 67
    FOCUS = 68
    HINGE_JOINT = 69
    HINGE_JOINT_PARAMETERS = 70
    HINGE_2_JOINT = 71
    IMMERSION_PROPERTIES = 72
    JOINT_PARAMETERS = 73
    LENS = 74
    LENS_FLARE = 75
    PHYSICS = 76
    RECOGNITION = 77
    SLIDER_JOINT = 78
    SLOT = 79
    SOLID = 80
    SOLID_REFERENCE = 81
    TRACK = 82
    TRACK_WHEEL = 83
    WORLD_INFO = 84
    ZOOM = 85
    MICROPHONE = 86
    RADIO = 87


# The types of nodes by their names, such as "HingeJoint".
TYPES = {
    _NAMES.get(name) or name.title().replace("_", ""): number
    for name, number in vars(Node).items()
    if isinstance(number, int)
}
_BY_NUMBER = {number: name for name, number in TYPES.items()}


def type_name(number: int) -> str:
    """Returns the name of a type of node; "" for a number without one."""
    return _BY_NUMBER.get(number, "")
