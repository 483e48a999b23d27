"""A supervisor looks at the world, and changes it."""

import math

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from pydrake.math import RigidTransform, RollPitchYaw

from webmotor_drake.errors import InputError, MotorWarning
from webmotor_drake.robot import Node, RobotSession, Supervisor

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
G, H = 9.81, 0.008


def world(text="{}", name="World"):
    """Returns a scenario with an arm, a box, two spares and a referee."""
    return loaded(FILE, name, text)


@pytest.fixture
def session():
    with RobotSession(world()) as session:
        yield session


@pytest.fixture
def supervisor(session):
    return session.supervisor("arm")


@pytest.fixture
def box(supervisor):
    return supervisor.getFromDef("BOX")


def moved(supervisor, node, X_WB):
    """Sets a node's pose and lets a step pass."""
    turn = X_WB.rotation().ToAngleAxis()
    node.getField("translation").setSFVec3f(X_WB.translation().tolist())
    node.getField("rotation").setSFRotation([*turn.axis(), turn.angle()])
    supervisor.step(8)


def test_the_tree_has_models_joints_bodies_and_devices(supervisor):
    children = supervisor.getRoot().getField("children")
    first = children.getMFNode(0)
    assert (first.getTypeName(), first.getField("name")) == ("WorldInfo", None)
    models = [children.getMFNode(i) for i in range(2, children.getCount())]
    assert [node.getField("name").getSFString() for node in models] == [
        "ground",
        "arm",
        "box",
        "referee",  # and no spares
    ]
    kinds = [node.getTypeName() for node in models]
    assert kinds == ["Solid", "Robot", "Solid", "Robot"]
    joint = supervisor.getSelf().getField("children").getMFNode(0)
    assert joint.getType() == Node.HINGE_JOINT
    link = joint.getField("endPoint").getSFNode()
    assert link.getField("name").getSFString() == "link"
    assert link.getParentNode().getId() == joint.getId()
    devices = joint.getField("device")
    assert [devices.getMFNode(i).getTypeName() for i in range(3)] == [
        "RotationalMotor",
        "PositionSensor",
        "Brake",
    ]


def test_nodes_are_found_by_def_name_path_id_and_device(supervisor, capsys):
    arm = supervisor.getSelf()
    for found in (
        supervisor.getFromDef("ROBOT"),
        supervisor.getFromDef("arm"),
        supervisor.getFromId(arm.getId()),
        Node(DEF="ROBOT", _client=supervisor._client),
    ):
        assert found.getId() == arm.getId()
    hinge = supervisor.getFromDef("HINGE")
    assert supervisor.getFromDef("ROBOT.hinge").getId() == hinge.getId()
    assert supervisor.getFromDef("arm::hinge").getId() == hinge.getId()
    assert (hinge.getDef(), arm.getDef()) == ("HINGE", "ROBOT")
    motor = supervisor.getDevice("hinge motor")
    node = supervisor.getFromDevice(motor)
    assert node.getParentNode().getId() == hinge.getId()
    assert supervisor.getFromDevice(motor._tag).getId() == node.getId()
    assert capsys.readouterr().err == ""
    for _ in range(2):
        assert supervisor.getFromDef("ROBOTT") is None
    # Webots says nothing: one line tells what has to be in `defs`.
    assert capsys.readouterr().err.count("did you mean ROBOT?") == 1
    assert supervisor.getFromId(999) is None


def test_poses_are_those_of_drakes_kinematics(session, supervisor):
    hinge = supervisor.getFromDef("HINGE")
    hinge.setJointPosition(0.7)
    link = supervisor.getFromDef("arm.link")
    plant = session.simulation.plant
    root = session.simulation.simulator.get_context()
    X_WL = plant.EvalBodyPoseInWorld(
        plant.GetMyContextFromRoot(root), plant.GetBodyByName("link")
    )
    assert link.getPosition() == X_WL.translation().tolist()
    assert link.getOrientation() == X_WL.rotation().matrix().ravel().tolist()
    pose = np.reshape(link.getPose(supervisor.getSelf()), (4, 4))
    # The arm's base is not turned, 1 m up and 2 m aside.
    np.testing.assert_allclose(
        pose[:3, 3], X_WL.translation() - [0, 2, 1], atol=1e-15
    )
    assert math.isnan(hinge.getPosition()[0])  # a joint has no pose


def test_a_pose_is_set_before_time_passes_and_keeps_velocities(supervisor, box):
    box.setVelocity([1, 2, 3, 0, 0, 0])
    translation = box.getField("translation")
    translation.setSFVec3f([4, 5, 6])
    # Webots' rule: the field tells what was set, the node where it still is.
    assert translation.getSFVec3f() == [4, 5, 6]
    assert box.getPosition() == [0.5, 0, 0.05]
    supervisor.step(8)
    velocity = np.array([1, 2, 3 - G * H])
    np.testing.assert_allclose(box.getVelocity()[:3], velocity)
    np.testing.assert_allclose(box.getPosition(), [4, 5, 6] + velocity * H)


def test_a_rotation_is_an_axis_of_any_length_and_an_angle(supervisor, box):
    box.getField("rotation").setSFRotation([0, 0, 5, 0.5])
    supervisor.step(8)
    rotation = box.getField("rotation").getSFRotation()
    np.testing.assert_allclose(rotation, [0, 0, 1, 0.5], atol=1e-12)


def test_the_last_robot_has_the_last_word(session, supervisor, box):
    referee = session.supervisor("referee")
    referee.getFromDef("BOX").getField("translation").setSFVec3f([0, 0, 3])
    box.getField("translation").setSFVec3f([0, 0, 9])
    supervisor.step(8)
    assert box.getPosition()[2] == pytest.approx(3, abs=1e-3)


def test_a_velocity_is_that_of_the_centre_of_mass(supervisor):
    # The link's is 0.4 m below the hinge.
    link = supervisor.getFromDef("arm.link")
    arm = np.subtract(link.getCenterOfMass(), link.getPosition())
    supervisor.getDevice("hinge motor").setPosition(1.5)
    supervisor.step(160)
    *linear, x, y, z = link.getVelocity()
    assert (x, z) == (0, 0) and abs(y) > 1
    arm = np.subtract(link.getCenterOfMass(), link.getPosition())
    np.testing.assert_allclose(linear, np.cross([0, y, 0], arm), atol=1e-12)


def test_what_is_welded_to_the_world_can_be_moved_too(supervisor, capsys):
    robot, link = supervisor.getSelf(), supervisor.getFromDef("arm.link")
    before = np.subtract(link.getPosition(), robot.getPosition())
    robot.getField("translation").setSFVec3f([7, 8, 9])
    supervisor.step(8)
    assert robot.getPosition() == [7, 8, 9]
    after = np.subtract(link.getPosition(), robot.getPosition())
    np.testing.assert_allclose(after, before, atol=1e-9)
    link.getField("translation").setSFVec3f([0, 0, 0])
    supervisor.step(8)
    assert "setJointPosition moves it" in capsys.readouterr().err


def test_motors_see_that_their_robot_was_turned(supervisor):
    # On its side nothing pulls at the hinge: the motor has nothing to hold.
    motor = supervisor.getDevice("hinge motor")
    motor.enableTorqueFeedback(8)
    motor.setPosition(1.0)
    supervisor.step(800)
    assert abs(motor.getTorqueFeedback()) > 1
    supervisor.getSelf().getField("rotation").setSFRotation(
        [1, 0, 0, math.pi / 2]
    )
    supervisor.step(800)
    assert abs(motor.getTorqueFeedback()) < 1e-3  # what its slow end leaves


def test_a_push_lasts_one_basic_step(supervisor, box):
    moved(supervisor, box, RigidTransform([0, 0, 5]))
    box.resetPhysics()
    box.addForce([2, 0, 0], False)
    box.addForce([0, 1, 0], False)  # they add up
    supervisor.step(8)
    after = [2 / 0.2 * H, 1 / 0.2 * H, -G * H]
    np.testing.assert_allclose(box.getVelocity()[:3], after, rtol=1e-9)
    supervisor.step(16)
    np.testing.assert_allclose(box.getVelocity()[:2], after[:2], rtol=1e-9)


def test_a_push_beside_the_centre_turns_the_box(supervisor, box):
    inertia = 8.333e-5
    turned = RigidTransform(RollPitchYaw(0, 0, math.pi / 2), [0, 0, 5])
    moved(supervisor, box, turned)
    box.resetPhysics()
    # 0.01 N along the box's x, which is the world's y, at its y of -0.02 m.
    box.addForceWithOffset([0.01, 0, 0], [0, -0.02, 0], True)
    supervisor.step(8)
    velocity = box.getVelocity()
    np.testing.assert_allclose(velocity[1], 0.01 / 0.2 * H, rtol=1e-9)
    np.testing.assert_allclose(velocity[5], 2e-4 / inertia * H, rtol=1e-6)
    box.resetPhysics()
    box.addTorque([0, 0, 1e-4], True)
    supervisor.step(8)
    np.testing.assert_allclose(
        box.getVelocity()[5], 1e-4 / inertia * H, rtol=1e-6
    )


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_motor_holds_against_a_push(drive):
    text = f"{{model_drivers: {{arm: {{drive: {drive}}}}}}}"
    with RobotSession(world(text)) as session:
        supervisor = session.supervisor("arm")
        motor = supervisor.getDevice("hinge motor")
        motor.setPosition(0.0)
        motor.enableTorqueFeedback(8)
        supervisor.step(1600)
        link = supervisor.getFromDef("arm.link")
        for _ in range(5):
            link.addTorque([0, 3.0, 0], False)
            supervisor.step(8)
        assert motor.getTorqueFeedback() == pytest.approx(-3, abs=1e-3)
        supervisor.step(16)
        assert motor.getTorqueFeedback() == pytest.approx(0, abs=1e-3)
        # The servo's softness lets it slip by 1e-5 rad/s per N m.
        position = session.results()["arm/hinge motor/position"]
        assert abs(position[-8:]).max() < 1e-5


def test_a_joint_is_moved_within_its_stops_and_rests_there(capsys):
    stops = "joints: {hinge: {min_stop: -2.5, max_stop: 2.5}}"
    with RobotSession(
        world(f"{{model_drivers: {{arm: {{{stops}}}}}}}")
    ) as session:
        supervisor = session.supervisor("arm")
        hinge = supervisor.getFromDef("HINGE")
        motor = supervisor.getDevice("hinge motor")
        motor.setPosition(-0.9)
        supervisor.step(80)
        hinge.setJointPosition(0.5)
        link = hinge.getField("endPoint").getSFNode()
        assert link.getVelocity() == [0] * 6
        parameters = hinge.getField("jointParameters").getSFNode()
        assert parameters.getField("position").getSFFloat() == 0.5
        supervisor.step(80)
        # It is the motor's target, too, and where its ramp starts.
        target = session.results()["arm/hinge motor/target_position"]
        assert target[-1] == 0.5
        # The servo's softness lets it slip by 1e-5 rad/s per N m.
        position = parameters.getField("position").value
        assert position == pytest.approx(0.5, abs=1e-5)
        capsys.readouterr()
        hinge.setJointPosition(3.0)
        assert "applied is 2.5" in capsys.readouterr().err
        assert parameters.getField("position").getSFFloat() == 2.5
        hinge.setJointPosition(0.0, 2)
        link.setJointPosition(0.0)
        errors = capsys.readouterr().err
        assert "the joint has 1 axes" in errors and "not a joint" in errors


def test_contact_points_are_where_the_box_stands(supervisor, box):
    supervisor.step(800)
    points = box.getContactPoints()
    corners = sorted(
        (round(p.getPoint()[0] - 0.5, 6), round(p.point[1], 6)) for p in points
    )
    assert corners == [(x, y) for x in (-0.023, 0.023) for y in (-0.023, 0.023)]
    # A millionth of a metre: how far contacts sink.
    assert all(abs(p.point[2]) < 1e-5 for p in points)
    assert {p.getNodeId() for p in points} == {box.getId()}
    assert box.getStaticBalance()
    ground = supervisor.getFromDef("ground")
    assert len(ground.getContactPoints()) == 4
    moved(supervisor, box, RigidTransform([0, 0, 5]))
    assert box.getContactPoints() == []
    assert not box.getStaticBalance()


def test_the_whole_world_comes_to_rest(supervisor, box):
    moved(supervisor, box, RigidTransform([0, 0, 5]))
    supervisor.getDevice("hinge motor").setPosition(1)
    supervisor.step(80)
    link = supervisor.getFromDef("arm.link")
    assert any(link.getVelocity()) and any(box.getVelocity())
    supervisor.simulationResetPhysics()
    assert link.getVelocity() == box.getVelocity() == [0] * 6


def test_states_are_saved_by_name(supervisor, box, capsys):
    box.saveState("start")
    moved(supervisor, box, RigidTransform([1, 1, 1]))
    box.loadState("start")
    assert box.getPosition() == [0.5, 0, 0.05]
    assert box.getVelocity() == [0] * 6
    box.loadState("never")
    assert "no state was saved" in capsys.readouterr().err


def test_the_state_at_the_beginning_is_there_under_its_name(supervisor, box):
    # Webots' reference, wb_supervisor_node_load_state: "__init__".
    arm, hinge = supervisor.getSelf(), supervisor.getFromDef("HINGE")
    box.setVelocity([1, 0, 2, 0, 0, 3])
    moved(supervisor, arm, RigidTransform([3, 0, 2]))
    supervisor.getDevice("hinge motor").setPosition(-1)
    supervisor.step(400)
    for node in (box, arm):
        node.loadState("__init__")
    assert box.getPosition() == [0.5, 0, 0.05]
    assert arm.getPosition() == [0, 2, 1]
    parameters = hinge.getField("jointParameters").getSFNode()
    assert parameters.getField("position").getSFFloat() == 0.25
    assert box.getVelocity() == [0] * 6
    box.saveState("__init__")  # a state of that name counts from now on
    moved(supervisor, box, RigidTransform([1, 1, 1]))
    box.loadState("__init__")
    assert box.getPosition() == [0.5, 0, 0.05]


def test_a_saved_state_has_the_place_of_what_is_welded(supervisor):
    arm = supervisor.getSelf()
    moved(supervisor, arm, RigidTransform([3, 0, 2]))
    arm.saveState("there")
    moved(supervisor, arm, RigidTransform([5, 5, 5]))
    arm.loadState("there")
    assert arm.getPosition() == [3, 0, 2]


def test_a_vector_of_two_numbers_ends_in_0(supervisor, box):
    # field.py fills an array of ctypes, which is 0 at first.
    box.getField("translation").setSFVec3f([2, 3])
    assert box.getField("translation").getSFVec3f() == [2, 3, 0]


def test_fields_are_what_the_driver_says_under_webots_names(supervisor):
    motor = supervisor.getFromDevice(supervisor.getDevice("hinge motor"))
    fields = {
        motor.getFieldByIndex(i).name: motor.getFieldByIndex(i)
        for i in range(motor.getNumberOfFields())
    }
    assert fields["maxVelocity"].getSFFloat() == 8
    assert fields["maxTorque"].getSFFloat() == 10
    assert fields["controlPID"].getSFVec3f() == [10, 0, 0]
    assert fields["controlPID"].getTypeName() == "SFVec3f"
    assert fields["controlPID"].getCount() == -1  # no list
    robot = supervisor.getSelf()
    assert robot.getField("supervisor").getSFBool() is True
    battery = robot.getField("battery")
    assert [battery.getMFFloat(i) for i in range(-3, 0)] == [100, 200, 0]
    assert battery.value is None and battery.getCount() == 3


def test_fields_that_can_change_do(session, supervisor):
    motor = supervisor.getFromDevice(supervisor.getDevice("hinge motor"))
    motor.getField("acceleration").setSFFloat(5)
    motor.getField("controlPID").value = [7, 0, 0]
    robot = session.supervisor("referee").getFromDef("ROBOT")
    robot.getField("customData").setSFString("go")
    robot.getField("name").setSFString("hero")
    supervisor.step(8)
    assert motor.getField("acceleration").getSFFloat() == 5
    assert motor.getField("controlPID").getSFVec3f() == [7, 0, 0]
    assert supervisor.getCustomData() == "go"
    assert supervisor.getFromDef("hero").getId() == robot.getId()


def test_wrong_calls_say_so_and_do_nothing(supervisor, box, capsys):
    translation = box.getField("translation")
    cases = [
        (lambda: translation.setSFFloat(1.0), "is of type SFVec3f"),
        (lambda: translation.setSFVec3f([1]), "3 are needed"),
        (lambda: translation.setSFVec3f([1, 2, math.nan]), "nan is not"),
        (lambda: translation.setSFVec3f([1, 2, math.inf]), "inf is not"),
        (
            lambda: box.getField("rotation").setSFRotation([0, 0, 0, 1]),
            "axis of a rotation is not 0",
        ),
        (
            lambda: box.getField("recognitionColors").getMFColor(0),
            "field is empty",
        ),
        (
            lambda: box.getField("recognitionColors").setMFColor(0, [1, 1, 1]),
            "out of bounds",
        ),
        (lambda: box.getField("color"), "unknown field 'color'"),
        (lambda: box.setVelocity([1]), "6 are needed"),
        (lambda: supervisor.getSelf().setVelocity([0] * 6), "WeldJoint"),
        (lambda: supervisor.getSelf().addForce([0] * 3, False), "cannot move"),
        (lambda: supervisor.worldSave("a.wbt"), "not written"),
        (lambda: supervisor.worldLoad("a.wbt"), "one scenario"),
        (lambda: supervisor.exportImage("a.jpg", 50), "no window"),
        (lambda: supervisor.simulationSetMode(0), "nobody to end a pause"),
        (
            lambda: supervisor.setLabel(100, "", 0, 0, 0, 0),
            "must be from 0 to 99",
        ),
        (lambda: supervisor.setLabel(1, "", 2, 0, 0, 0), "x is 2"),
        (lambda: supervisor.getFromDevice(99), "no such device"),
    ]
    for call, problem in cases:
        call()
        error = capsys.readouterr().err
        assert problem in error and error.count("\n") == 1, error
    supervisor.step(8)
    assert box.getPosition()[:2] == pytest.approx([0.5, 0])
    for wrong in ("abc", 5, [None] * 3):
        with pytest.raises(TypeError):
            translation.setSFVec3f(wrong)


def test_what_is_sent_at_once_is_refused_within_a_step(supervisor, capsys):
    supervisor.stepBegin(8)
    supervisor.simulationReset()
    supervisor.setLabel(0, "late", 0, 0, 0.1, 0)
    told = capsys.readouterr().err
    for call in ("simulationReset", "setLabel"):
        assert f"Supervisor.{call}(): cannot be answered between" in told
    assert supervisor.stepEnd() != -1
    assert supervisor.getTime() > 0  # nothing was reset


def test_another_robot_is_told_what_is_missing(capsys):
    text = "{model_drivers: {arm: {supervisor: false}}}"
    with RobotSession(world(text)) as session:
        with pytest.raises(InputError, match="unknown supervisor 'arm'"):
            session.supervisor("arm")
        assert session.supervisor().getName() == "referee"
        robot = Supervisor(_client=session.robot("referee")._client)
        assert robot.getSupervisor()
        client = session.robot("arm")._client
        client.robot = None
        robot = Supervisor(_client=client)
        assert robot.getRoot() is robot.getFromDef("BOX") is None
        robot.simulationReset()
        assert robot.getSelected() is None
        assert not robot.getSupervisor()
    errors = capsys.readouterr().err
    assert errors.count("arm is not a supervisor") == 4


def test_a_session_without_supervisors_says_so():
    text = (
        "{model_drivers: {arm: {supervisor: false}, referee: {supervisor:"
        " false, brakes: {b: {joint: hinge}}}}}"
    )
    with pytest.raises(InputError, match="unknown model 'referee'"):
        RobotSession(world(text))


def test_modes_and_labels_are_kept(session, supervisor):
    assert supervisor.simulationGetMode() == Supervisor.SIMULATION_MODE_FAST
    supervisor.simulationSetMode(Supervisor.SIMULATION_MODE_REAL_TIME)
    assert session.simulation.simulator.get_target_realtime_rate() == 1
    supervisor.simulation_mode = Supervisor.SIMULATION_MODE_FAST
    assert session.simulation.simulator.get_target_realtime_rate() == 0
    supervisor.setLabel(3, "0:1", 0.1, 0.1, 0.1, 0xFF0000)
    assert session.results().metadata["labels"] == {"3": "0:1"}


def test_a_supervisor_ends_the_run(session, supervisor):
    supervisor.step(80)
    supervisor.simulationQuit(3)
    assert supervisor.step(8) == -1
    results = session.results()
    assert results.time[-1] == pytest.approx(0.08)
    assert results.metadata["exit_status"] == 3


def test_what_a_motor_cannot_be_set_to_is_mended_or_refused_as_in_a_file(
    supervisor, capsys
):
    motor = supervisor.getFromDevice(supervisor.getDevice("hinge motor"))
    motor.getField("acceleration").setSFFloat(-5)
    with pytest.warns(
        MotorWarning, match="hinge motor.acceleration: -5 is not"
    ):
        supervisor.step(8)
    assert motor.getField("acceleration").getSFFloat() == -1
    motor.getField("controlPID").setSFVec3f([1, -1, 0])
    supervisor.step(8)
    assert "control_pid[1]: -1 is not allowed" in capsys.readouterr().err
    assert motor.getField("controlPID").getSFVec3f() == [10, 0, 0]
    for name in ("multiplier", "consumptionFactor"):
        motor.getField(name).setSFFloat(2.0)
        supervisor.step(8)
        told = f"Motor.{name}: kept, and acts at the start only\n"
        assert capsys.readouterr().err.endswith(told)
        assert motor.getField(name).getSFFloat() == 2


def test_a_base_in_a_plane_is_moved_in_it(tmp_path, capsys):
    (tmp_path / "sled.urdf").write_text("""
        <robot name="sled">
          <link name="sled"><inertial><mass value="1"/><inertia ixx="1" iyy="1"
            izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
          <joint name="ice" type="planar"><parent link="world"/>
            <child link="sled"/><origin xyz="0 0 0.5"/><axis xyz="0 0 1"/></joint>
        </robot>""")
    file = tmp_path / "ice.scenario.yaml"
    file.write_text("""
Ice:
  plant_config: {time_step: 0.008}
  directives: [{add_model: {name: sled, file: sled.urdf}}]
  model_drivers: {referee: !WebotsMotorDriver {supervisor: true}}
""")
    with RobotSession(loaded(file, "Ice")) as session:
        supervisor = session.supervisor()
        sled = supervisor.getFromDef("sled")
        X_WB = RigidTransform(RollPitchYaw(0, 0, 0.75), [2, -1, 0.5])
        moved(supervisor, sled, X_WB)
        assert sled.getPosition() == pytest.approx([2, -1, 0.5])
        turn = np.reshape(sled.getOrientation(), (3, 3))
        np.testing.assert_allclose(turn, X_WB.rotation().matrix(), atol=1e-12)
        assert capsys.readouterr().err == ""
        sled.getField("translation").setSFVec3f([2, -1, 0.75])
        supervisor.step(8)
        assert "sled is held in a plane, and upright" in capsys.readouterr().err
        assert sled.getPosition() == pytest.approx([2, -1, 0.5])
