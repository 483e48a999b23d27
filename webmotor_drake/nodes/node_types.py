"""The numbers of Webots' nodes that `getNodeType` and `getType` give."""

# Names that are not their constant in camel case.
_NAMES = {"GPS": "GPS", "LED": "LED", "PBR_APPEARANCE": "PBRAppearance"}


class Node:
    """Webots' node numbers (webots/nodes.h)."""

    NO_NODE, APPEARANCE, BACKGROUND, BILLBOARD, BOX, CAD_SHAPE = range(6)
    CAPSULE, COLOR, CONE, COORDINATE, CYLINDER, DIRECTIONAL_LIGHT = range(6, 12)
    ELEVATION_GRID, FOG, GROUP, IMAGE_TEXTURE, INDEXED_FACE_SET = range(12, 17)
    INDEXED_LINE_SET, MATERIAL, MESH, MUSCLE, NORMAL = range(17, 22)
    PBR_APPEARANCE, PLANE, POINT_LIGHT, POINT_SET, POSE, SHAPE = range(22, 28)
    SPHERE, SPOT_LIGHT, TEXTURE_COORDINATE, TEXTURE_TRANSFORM = range(28, 32)
    TRANSFORM, VIEWPOINT, ROBOT, ACCELEROMETER, ALTIMETER, BRAKE = range(32, 38)
    CAMERA, COMPASS, CONNECTOR, DISPLAY, DISTANCE_SENSOR = range(38, 43)
    EMITTER, GPS, GYRO, INERTIAL_UNIT, LED, LIDAR, LIGHT_SENSOR = range(43, 50)
    LINEAR_MOTOR, PEN, POSITION_SENSOR, PROPELLER, RADAR = range(50, 55)
    RANGE_FINDER, RECEIVER, ROTATIONAL_MOTOR, SKIN, SPEAKER = range(55, 60)
    TOUCH_SENSOR, VACUUM_GRIPPER, BALL_JOINT = range(60, 63)
    BALL_JOINT_PARAMETERS, CHARGER, CONTACT_PROPERTIES, DAMPING = range(63, 67)
    FLUID, FOCUS, HINGE_JOINT, HINGE_JOINT_PARAMETERS = range(67, 71)
    HINGE_2_JOINT, IMMERSION_PROPERTIES, JOINT_PARAMETERS, LENS = range(71, 75)
    LENS_FLARE, PHYSICS, RECOGNITION, SLIDER_JOINT, SLOT, SOLID = range(75, 81)
    SOLID_REFERENCE, TRACK, TRACK_WHEEL, WORLD_INFO, ZOOM = range(81, 86)
    MICROPHONE, RADIO = range(86, 88)


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
