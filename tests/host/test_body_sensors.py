"""GPS, Altimeter, InertialUnit, Gyro, Accelerometer, Compass, against closed forms."""

import math

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded

from webmotor_drake.controllers.devices.body_sensors import GPS
from webmotor_drake.controllers.session import RobotSession
from webmotor_drake.errors import InputError
from webmotor_drake.host.senses.utm import UTM
from webmotor_drake.loading import load_scenario
from webmotor_drake.nodes.node_types import Node

FILE = TEST_SCENARIOS / "devices.scenario.yaml"
NAMES = ("gps", "imu", "gyro", "accelerometer", "compass")


def swing(text: str = ""):
    """Returns the session of an arm with other words for its devices."""
    text = text and f"{{model_drivers: {{arm: {{devices: {{{text}}}}}}}}}"
    return RobotSession(loaded(FILE, "Swing", text or "{}"))


def turn(axis: str, angle: float) -> np.ndarray:
    """Returns the matrix of a turn."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array(
        {
            "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
            "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
            "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
        }[axis]
    )


@pytest.fixture(scope="module")
def swung():
    """The readings of an arm that swings up, every 8 ms, and its joint."""
    with swing() as session:
        robot = session.robot("arm")
        sensors = {name: robot.getDevice(name) for name in NAMES}
        sensors["hinge"] = robot.getDevice("hinge sensor")
        for sensor in sensors.values():
            sensor.enable(8)
        robot.getDevice("hinge motor").setPosition(1.5)
        rows = []
        for _ in range(60):
            robot.step(8)
            row = {
                name: sensor.value
                for name, sensor in sensors.items()
                if name != "imu"
            }
            row["velocity"] = robot.getDevice("hinge motor").joint_velocity
            row["angles"] = sensors["imu"].roll_pitch_yaw
            row["quaternion"] = sensors["imu"].quaternion
            row["speed"] = sensors["gps"].speed
            row["speed_vector"] = sensors["gps"].speed_vector
            rows.append(row)
        yield rows


def expected(row):
    """Returns R_WD, p_WD and v_WD of the tip, from the joint alone."""
    q, v = row["hinge"], row["velocity"]
    base = turn("z", math.pi / 2)
    p_BD = turn("y", q) @ [0.1, 0.2, -0.5]
    v_BD = v * np.cross([0, 1, 0], p_BD)
    R_WD = base @ turn("y", q) @ turn("z", 0.5)
    return R_WD, base @ p_BD + [1, 2, 3], base @ v_BD


# Rounding of a dozen of operations on numbers of a few metres.
EXACT = pytest.approx


def exact(values):
    return EXACT(values, abs=1e-12)


@pytest.mark.closed_form("GPS")
def test_a_gps_reads_the_position_and_velocity_of_its_origin(swung):
    for row in swung[::10]:
        _, p_WD, v_WD = expected(row)
        assert row["gps"] == exact(p_WD)
        assert row["speed_vector"] == exact(v_WD)
        assert row["speed"] == exact(np.linalg.norm(v_WD))


@pytest.mark.closed_form("InertialUnit")
def test_an_inertial_unit_reads_the_turn_as_quaternion_and_angles(swung):
    for row in swung[::10]:
        R_WD, _, _ = expected(row)
        roll, pitch, yaw = row["angles"]
        there = turn("z", yaw) @ turn("y", pitch) @ turn("x", roll)
        np.testing.assert_allclose(there, R_WD, atol=1e-12)
        x, y, z, w = row["quaternion"]
        assert np.trace(R_WD) == exact(4 * w * w - 1)
        assert R_WD[2, 1] - R_WD[1, 2] == exact(4 * w * x)
        assert R_WD[0, 2] - R_WD[2, 0] == exact(4 * w * y)
        assert R_WD[1, 0] - R_WD[0, 1] == exact(4 * w * z)


@pytest.mark.closed_form("Gyro")
def test_a_gyro_reads_the_angular_velocity_in_its_own_axes(swung):
    for row in swung[::10]:
        R_WD, _, _ = expected(row)
        w_WD = turn("z", math.pi / 2) @ [0, row["velocity"], 0]
        assert row["gyro"] == exact(w_WD @ R_WD)


@pytest.mark.closed_form("Accelerometer")
def test_an_accelerometer_reads_the_mean_acceleration_less_gravity(swung):
    before = np.zeros(3)
    for row in swung:
        R_WD, _, v_WD = expected(row)
        mean = (v_WD - before) / 0.008 + [0, 0, 9.81]
        assert row["accelerometer"] == pytest.approx(mean @ R_WD, abs=1e-9)
        before = v_WD


@pytest.mark.closed_form("Compass")
def test_a_compass_reads_where_the_worlds_y_is(swung):
    for row in swung[::10]:
        R_WD, _, _ = expected(row)
        assert row["compass"] == exact([0, 1, 0] @ R_WD)


@pytest.mark.closed_form("Altimeter")
def test_an_altimeter_reads_the_height_of_its_origin():
    place = "pose: {translation: [0.1, 0.2, -0.5]}"
    with swing(f"height: !Altimeter {{frame: link, {place}}}") as session:
        robot = session.robot("arm")
        height, hinge = map(robot.getDevice, ("height", "hinge sensor"))
        height.enable(8)
        hinge.enable(8)
        robot.getDevice("hinge motor").setPosition(1.5)
        for _ in range(10):
            robot.step(32)
            p_BD = turn("y", hinge.value) @ [0.1, 0.2, -0.5]
            assert height.getValue() == exact(3 + p_BD[2])
        assert height.value == height.getValue() != exact(2.5)


def test_after_a_reset_sensors_at_one_place_read_the_start_again():
    with swing() as session:
        robot = session.robot("arm")
        sensors = [robot.getDevice(name) for name in ("gyro", "compass")]
        for sensor in sensors:
            sensor.enable(8)
        session.step()
        session.reset()
        start = [sensor.value for sensor in sensors]
        robot.getDevice("hinge motor").setPosition(1.5)
        for _ in range(9):
            session.step()
        assert all(s.value != v for s, v in zip(sensors, start, strict=True))
        session.reset()
        assert [sensor.value for sensor in sensors] == start


@pytest.fixture
def at_rest():
    """A robot that was never stepped."""
    with swing(
        "gyro: !Gyro {y_axis: false, lookup_table: [[-1, -5, 0], [1, 15, 0]]},"
        "wgs: !GPS {coordinate_system: WGS84, reference: [46.5, 6.6, 400]},"
        "flat imu: !InertialUnit {frame: link, x_axis: false, y_axis: false,"
        " pose: {rotation: [1, 0, 0, 0.3]}, resolution: 0.1},"
        "coarse: !GPS {resolution: 0.7, speed_noise: 0.5}"
    ) as session:
        yield session.robot("arm")


def test_devices_follow_motors_sensors_and_brakes(at_rest):
    names = [
        at_rest.getDeviceByIndex(i).name
        for i in range(at_rest.getNumberOfDevices())
    ]
    assert names[:5] == [
        "hinge motor",
        "hinge sensor",
        "hinge brake",
        "gps",
        "imu",
    ]
    assert at_rest.getDevice("gps").getNodeType() == Node.GPS
    assert at_rest.getDevice("compass").getNodeType() == Node.COMPASS


def test_values_are_nan_before_the_first_sample(at_rest, capsys):
    sensors = [at_rest.getDevice(name) for name in NAMES]
    for sensor in sensors:
        sensor.enable(8)
    gps, imu, *rest = sensors
    for values in (
        gps.getValues(),
        gps.getSpeedVector(),
        imu.getRollPitchYaw(),
        imu.getQuaternion(),
        *(sensor.getValues() for sensor in rest),
    ):
        assert len(values) in (3, 4) and all(map(math.isnan, values))
    assert math.isnan(gps.getSpeed())
    assert capsys.readouterr().err == ""


def test_a_sensor_that_is_off_says_so_and_gives_its_last_value(capsys):
    with swing() as session:
        robot = session.robot("arm")
        gps = robot.getDevice("base gps")
        gps.enable(8)
        robot.step(8)
        assert gps.getSamplingPeriod() == 8
        gps.disable()
        assert gps.getSamplingPeriod() == 0
        assert gps.getValues() == exact([1, 2, 3])
    assert "GPS 'base gps': getValues(): the sensor is off" in (
        capsys.readouterr().err
    )


def test_lists_are_the_callers_own(at_rest):
    gps = at_rest.getDevice("base gps")
    gps.enable(8)
    at_rest.step(8)
    gps.getValues()[0] = 99
    assert gps.getValues()[0] == 1


def test_a_table_an_axis_that_is_off_and_a_resolution(at_rest):
    gyro, imu = at_rest.getDevice("gyro"), at_rest.getDevice("flat imu")
    coarse = at_rest.getDevice("coarse")
    for sensor in (gyro, imu, coarse):
        sensor.enable(8)
    at_rest.step(8)
    x, y, z = gyro.getValues()
    # 5 is halfway between the outputs of -1 and 1 rad/s, 0 rad/s.
    assert (x, z) == (5, 5) and math.isnan(y)
    assert gyro.getLookupTable() == [-1, -5, 0, 1, 15, 0]
    # 1 and 2 m are 1.43 and 2.86 steps of 0.7 m; the half is rounded up.
    assert coarse.getValues() == exact([0.7, 2.1, 2.8])
    assert coarse.getSpeed() == 0  # its noise is a part of it
    # The axis without x, and y's flag, which is z: nothing but y is left.
    x, y, z, _ = imu.getQuaternion()
    assert (x, z) == (0, 0) and y in (exact(0.6), exact(0.7))


def test_noise_comes_from_the_seed_and_the_names():
    def read(seed: int, text: str):
        with RobotSession(
            load_scenario(
                FILE,
                name="Swing",
                text=f"{{random_seed: {seed}, model_drivers: {{arm: {{devices:"
                f" {{gps: !GPS {text}, base gps: !GPS {text}}}}}}}}}",
            )
        ) as session:
            robot = session.robot("arm")
            sensors = [robot.getDevice(name) for name in ("gps", "base gps")]
            for sensor in sensors:
                sensor.enable(8)
            rows = []
            for _ in range(200):
                robot.step(8)
                rows.append([sensor.getValues() for sensor in sensors])
            return np.array(rows)

    exact_rows = read(1, "{accuracy: 0}")
    rows = read(1, "{accuracy: 0.1}") - exact_rows
    assert np.array_equal(rows, read(1, "{accuracy: 0.1}") - exact_rows)
    assert not np.array_equal(rows, read(2, "{accuracy: 0.1}") - exact_rows)
    assert abs(np.corrcoef(rows[:, 0, 0], rows[:, 1, 0])[0, 1]) < 0.3
    # 600 numbers: four standard errors of the deviation.
    assert rows[:, 0].std() == pytest.approx(0.1, abs=0.1 * 4 / math.sqrt(1200))
    # What is left after 8 ms of 0.5 each second.
    kept = read(1, "{accuracy: 0.1, noise_correlation: 1e-20}") - exact_rows
    series = kept[:, 0, 0]
    left = (series[1:] @ series[:-1]) / (series @ series)
    assert left == pytest.approx(1e-20**0.008, abs=0.15)


def test_wgs84_is_latitude_longitude_and_altitude(at_rest):
    gps = at_rest.getDevice("wgs")
    gps.enable(8)
    at_rest.step(8)
    latitude, longitude, altitude = gps.getValues()
    assert gps.getCoordinateSystem() == GPS.WGS84
    assert at_rest.getDevice("gps").getCoordinateSystem() == GPS.LOCAL
    assert altitude == exact(403)
    # The base is 1 m east and 2 m north; a degree is 111.2 km.
    assert latitude - 46.5 == pytest.approx(2 / 111_200, rel=0.03)
    assert (longitude - 6.6) * math.cos(math.radians(46.5)) == pytest.approx(
        1 / 111_300, rel=0.1
    )


def test_utm_is_the_ellipses_arc_on_its_meridian_and_goes_back():
    zone = UTM(45, 9)
    # The arc of the meridian to 45 degrees, by quadrature of the ellipse.
    e2 = (1 / 298.257223563) * (2 - 1 / 298.257223563)
    phi = np.linspace(0, math.pi / 4, 20001)
    rate = 6378137 * (1 - e2) / (1 - e2 * np.sin(phi) ** 2) ** 1.5
    east, north = zone.east_north(45, 9)
    assert east == pytest.approx(500_000, abs=1e-6)
    assert north == pytest.approx(0.9996 * np.trapezoid(rate, phi), abs=1e-3)
    for place in ((45.3, 8.1), (44.0, 10.5)):
        back = zone.latitude_longitude(*zone.east_north(*place))
        assert back == pytest.approx(place, abs=1e-8)  # a millimetre


def test_degrees_minutes_and_seconds():
    assert GPS.convertToDegreesMinutesSeconds(46.5125) == (
        "46° 30\u2032 45\u2033"
    )


def test_a_device_that_is_not_there_gives_nan_and_says_so(at_rest, capsys):
    gps = GPS("bsae gps", robot=at_rest)
    assert all(map(math.isnan, gps.getValues()))
    assert gps.getCoordinateSystem() == GPS.LOCAL
    error = capsys.readouterr().err
    assert "unknown device 'bsae gps'; did you mean base gps?" in error
    assert "GPS 'bsae gps': the robot has no such device" in error


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ("gps: !GPS {frame: lnik}", ".gps.frame", "did you mean link?"),
        (
            "gps: !GPS {pose: {translation: [1]}}",
            ".translation",
            "3 are needed",
        ),
        (
            "gps: !GPS {pose: {rotation: [0, 0, 0, 1]}}",
            ".rotation",
            "axis is 0",
        ),
        ("gps: !GPS {type: sattelite}", ".gps.type", "did you mean satellite?"),
        ("gps: !GPS {accuracy: -1}", ".gps.accuracy", "at least 0"),
        ("gps: !GPS {noise_correlation: 2}", "correlation", "from 0 to 1"),
        ("gps: !GPS {resolution: 0}", ".gps.resolution", "above 0"),
        (
            "gps: !GPS {coordinate_system: wgs}",
            "_system",
            "known: local, WGS84",
        ),
        (
            "gyro: !Gyro {lookup_table: [[1, 2]]}",
            "lookup_table[0]",
            "3 are",
        ),
        (
            "gyro: !Gyro {lookup_table: [[1, 2, 0], [1, 3, 0]]}",
            "lookup_table[1]",
            "inputs have to increase",
        ),
        ("gyro: !Gyro {lookup_table: [[1, .nan, 0]]}", "table[0]", "finite"),
    ],
)
def test_what_cannot_be_is_told_with_its_place(text, place, problem):
    with pytest.raises(InputError) as raised:
        swing(text)
    assert place in str(raised.value) and problem in str(raised.value)


def test_a_robot_may_have_devices_and_no_motor():
    scenario = load_scenario(
        FILE,
        name="Swing",
        text="{model_drivers: {arm: !WebotsMotorDriver {devices:"
        " {eye: !GPS {}}}}}",
    )
    driver = scenario.model_drivers["arm"]
    driver.motors, driver.brakes, driver.position_sensors = {}, {}, {}
    with RobotSession(scenario) as session:
        robot = session.robot("arm")
        gps = GPS("eye", robot=robot)  # made from its name it is on
        robot.step(8)
        assert gps.value == exact([1, 2, 3])
