"""The numbers of Webots' nodes that `getNodeType` can be compared with."""


class Node:
    """Webots' node numbers (webots/nodes.h): the robot and all devices."""

    NO_NODE = 0
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
