"""Nodes are imported by their text alone, and do what they would in Webots."""

import math
import threading

import numpy as np
import pytest
from folders import TEST_SCENARIOS
from loaded import loaded
from robots import controller, unlabelled

from webmotor_drake.controllers.in_process.controller_run import (
    run_with_controllers,
)
from webmotor_drake.errors import InputError
from webmotor_drake.host.scene.shapes import Shapes
from webmotor_drake.host.senses import renderer
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import RobotSession
from webmotor_drake.simulation.imports import built_positions
from webmotor_drake.simulation.run_record import position_names
from webmotor_drake.view.puppet import Puppet

FILE = TEST_SCENARIOS / "supervised.scenario.yaml"
G, H = 9.81, 0.008

drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)


def world(text="stock: 4"):
    return loaded(FILE, "World", f"{{simulation_duration: .inf, {text}}}")


@pytest.fixture
def supervisor():
    with RobotSession(world()) as session:
        yield session.supervisor("arm")


@pytest.fixture
def children(supervisor):
    return supervisor.getRoot().getField("children")


def solid(geometry, physics="Physics { mass 3 }", more=""):
    return f"""
        DEF NEW Solid {{
          translation 0 0 1.5
          children [
            Shape {{
              appearance PBRAppearance {{ baseColor 1 0 0 roughness 0.5 }}
              geometry DEF FORM {geometry}
            }}
          ]
          name "new one"
          boundingObject USE FORM
          physics {physics}
          {more}
        }}"""


def imported(supervisor, text):
    children = supervisor.getRoot().getField("children")
    children.importMFNodeFromString(-1, text)
    return children.getMFNode(-1)


def inertia(node):
    matrix = node.getField("physics").getSFNode().getField("inertiaMatrix")
    return [*matrix.getMFVec3f(0), *matrix.getMFVec3f(1)]


# Mass and moments by the formulas for homogeneous solids.
BALL = 4 / 3 * math.pi * 0.1**3 * 1000
BOX = 0.2 * 0.3 * 0.4 * 1000


@pytest.mark.parametrize(
    ("geometry", "physics", "mass", "moments"),
    [
        ("Sphere { radius 0.1 }", "Physics { }", BALL, [0.4 * BALL * 0.01] * 3),
        (
            "Box { size 0.2 0.3 0.4 }",
            "Physics { density -1 mass 3 }",
            3,
            [3 / 12 * i for i in (0.25, 0.2, 0.13)],
        ),
        (
            "Box { size 0.2 0.3 0.4 }",
            "Physics { density 500 }",
            BOX / 2,
            [BOX / 24 * i for i in (0.25, 0.2, 0.13)],
        ),
        (
            "Cylinder { radius 0.1 height 0.3 }",
            "Physics { mass 2 }",
            2,
            [2 * (0.03 + 0.09) / 12] * 2 + [0.01],
        ),
        (
            "Sphere { radius 0.1 }",
            "Physics { mass 2 centerOfMass [ 0 0 0.01 ]"
            " inertiaMatrix [ 0.1 0.2 0.25, 0.01 0 0 ] }",
            2,
            [0.1, 0.2, 0.25],
        ),
    ],
)
def test_it_weighs_what_webots_rules_say(
    supervisor, geometry, physics, mass, moments
):
    node = imported(supervisor, solid(geometry, physics))
    field = node.getField("physics").getSFNode().getField("mass")
    assert field.getSFFloat() == pytest.approx(mass, rel=1e-12)
    np.testing.assert_allclose(inertia(node)[:3], moments, rtol=1e-12)


def test_without_a_bounding_object_it_has_an_inertia_of_1(supervisor):
    # WbSolid.cpp createOdeMass: whatever the mass.
    node = imported(supervisor, "Solid { physics Physics { mass 0.5 } }")
    np.testing.assert_allclose(inertia(node), [1, 1, 1, 0, 0, 0])


def test_it_falls_stands_and_tells_its_fields(supervisor, capsys):
    node = imported(supervisor, solid("Box { size 0.2 0.3 0.4 }"))
    assert supervisor.getFromDef("NEW").getId() == node.getId()
    assert node.getTypeName() == "Solid"
    assert node.getField("name").getSFString() == "new one"
    assert node.getPosition() == [0, 0, 1.5]
    supervisor.step(8)
    np.testing.assert_allclose(node.getPosition()[2], 1.5 - G * H**2)
    supervisor.step(1200)
    # It stands on the ground, sinks by less than 0.1 mm, and does not creep.
    np.testing.assert_allclose(node.getPosition(), [0, 0, 0.2], atol=2e-4)
    assert abs(np.array(node.getVelocity())).max() < 1e-3
    shape = node.getField("children").getMFNode(0)
    form = shape.getField("geometry").getSFNode()
    assert form.getDef() == "FORM"
    assert form.getField("size").getSFVec3f() == [0.2, 0.3, 0.4]
    look = shape.getField("appearance").getSFNode()
    assert look.getField("baseColor").getSFColor() == [1, 0, 0]
    assert node.getField("boundingObject").getSFNode().getTypeName() == "Box"
    assert capsys.readouterr().err == ""


def test_a_velocity_in_the_text_is_that_of_its_start(supervisor):
    node = imported(
        supervisor,
        solid("Sphere { radius 0.1 }", more="linearVelocity 1 0 0"),
    )
    supervisor.step(80)
    np.testing.assert_allclose(node.getPosition()[0], 0.08, rtol=1e-9)


def test_what_has_no_physics_stays_and_holds_others(supervisor):
    table = imported(
        supervisor,
        "DEF TABLE Solid { translation 3 0 0.5 boundingObject Group { children ["
        " Box { size 1 1 0.1 }"
        " Pose { translation 0 0 0.15 children [ Sphere { radius 0.1 } ] } ] } }",
    )
    ball = imported(
        supervisor,
        "Solid { translation 3.3 0 0.7 boundingObject Sphere { radius 0.05 }"
        " physics Physics { mass 0.1 } }",
    )
    supervisor.step(800)
    assert table.getPosition() == [3, 0, 0.5]
    assert table.getField("physics").getSFNode() is None
    assert ball.getPosition()[2] == pytest.approx(0.6, abs=1e-3)
    table.getField("translation").setSFVec3f([9, 9, 0.5])
    supervisor.step(1600)
    assert table.getPosition() == [9, 9, 0.5]
    assert ball.getPosition()[2] == pytest.approx(0.05, abs=1e-3)


def test_it_goes_and_its_body_can_be_another_one(supervisor, children):
    count = children.getCount()
    for radius in (0.1, 0.2, 0.3, 0.1, 0.2, 0.3):
        ball = imported(
            supervisor,
            solid(f"Sphere {{ radius {radius} }}").replace(
                "0 0 1.5", "0 0 0.31"
            ),
        )
        supervisor.step(1600)
        assert ball.getPosition()[2] == pytest.approx(radius, abs=2e-3)
        ball.remove()
        assert children.getCount() == count
        assert supervisor.getFromDef("NEW") is None
    children.importMFNodeFromString(-1, solid("Box { }"))
    children.removeMF(-1)
    assert children.getCount() == count


def test_a_reset_takes_away_what_was_imported(supervisor, children):
    first = [supervisor.getFromDef("BOX").getPosition()]
    supervisor.step(80)
    first.append(supervisor.getFromDef("BOX").getPosition())
    count = children.getCount()
    for _ in range(2):
        ball = imported(
            supervisor,
            solid("Sphere { radius 0.2 }").replace("0 0 1.5", "0.5 0 0.3"),
        )
        imported(supervisor, "Pose { children [ Shape { geometry Box {} } ] }")
        supervisor.step(80)
        assert supervisor.getFromDef("BOX").getPosition() != first[1]
        supervisor.simulationReset()
        supervisor.step(8)
        assert children.getCount() == count
        assert ball.getNumberOfFields() == -1
        assert supervisor.getFromDef("BOX").getPosition() == first[0]
        supervisor.step(80)
        # The world is the same to the last bit.
        assert supervisor.getFromDef("BOX").getPosition() == first[1]


def test_what_is_only_drawn_needs_no_body_and_can_be_moved():
    with RobotSession(world("stock: 0")) as session:
        supervisor = session.supervisor("arm")
        marks = [
            imported(
                supervisor,
                f"DEF MARK_{i} Transform {{ translation {i} 0 1 children ["
                " Shape { appearance Appearance { material Material {"
                " diffuseColor 0 1 0 } } geometry Sphere { radius 0.1 } } ] }",
            )
            for i in range(30)
        ]
        assert marks[7].getPosition() == [7, 0, 1]
        marks[7].getField("translation").setSFVec3f([0, 5, 0])
        supervisor.step(8)
        assert marks[7].getPosition() == [0, 5, 0]
        shape = marks[3].getField("children").getMFNode(0)
        look = shape.getField("appearance").getSFNode()
        colour = look.getField("material").getSFNode().getField("diffuseColor")
        assert colour.getSFColor() == [0, 1, 0]
        for mark in marks:
            mark.remove()
        assert supervisor.getFromDef("MARK_7") is None


@drawn
def test_cameras_and_rays_see_what_was_imported_and_where_it_is():
    eye = (
        "model_drivers: {arm: {devices: {"
        "eye: !Camera {frame: base, width: 32, height: 32,"
        " pose: {translation: [1, 0, 4]}},"
        "ray: !DistanceSensor {frame: base, type: infra-red,"
        " lookup_table: [[0, 0, 0], [9, 9, 0]], pose: {translation: [1, 0, 4]}}}}}"
    )
    with RobotSession(world(eye)) as session:
        supervisor = session.supervisor("arm")
        camera = supervisor.getDevice("eye")
        ray = supervisor.getDevice("ray")
        camera.enable(8)
        ray.enable(8)
        mark = imported(
            supervisor,
            "Pose { translation 3 2 5 children [ Shape { appearance"
            " PBRAppearance { baseColor 1 0 0 } geometry Box { size 1 1 1 } } ] }",
        )
        supervisor.step(16)

        def red():
            return camera.imageGetRed(camera.getImage(), 32, 16, 16)

        seen = red()
        assert seen > 2 * camera.imageGetGreen(camera.getImage(), 32, 16, 16)
        assert ray.getValue() == pytest.approx(1.5, abs=1e-6)
        mark.getField("translation").setSFVec3f([5, 2, 5])
        supervisor.step(16)
        assert ray.getValue() == pytest.approx(3.5, abs=1e-6)
        mark.remove()
        supervisor.step(16)
        assert ray.getValue() == 9 and red() != seen


@drawn
def test_shapes_change_in_the_thread_that_draws_them(tmp_path, monkeypatch):
    # A renderer's OpenGL is that of one thread; the controller has another one.
    threads = []
    changed = Shapes._change

    def noted(shapes, change, *arguments):
        def change_and_note(*arguments):
            threads.append(threading.get_ident())
            return change(*arguments)

        return changed(shapes, change_and_note, *arguments)

    monkeypatch.setattr(Shapes, "_change", noted)
    file = controller(
        tmp_path,
        """
        from controller import Supervisor
        s = Supervisor()
        s.getDevice("eye").enable(8)
        s.step(16)
        children = s.getRoot().getField("children")
        children.importMFNodeFromString(-1,
            "Solid { children [ Shape { geometry Box { } } ] }")
        s.step(8)
        children.getMFNode(-1).remove()
        s.step(8)
        """,
    )
    eye = "{arm: {devices: {eye: !Camera {frame: base, width: 8, height: 8}}}}"
    text = f"{{simulation_duration: 0.1, stock: 4, model_drivers: {eye}}}"
    run_with_controllers(loaded(FILE, "World", text), {"arm": file})
    assert set(threads) == {threading.get_ident()}


def test_a_node_of_the_world_can_be_used(supervisor):
    # A conveyor's supervisor: children [ USE PIECE ] boundingObject USE PIECE.
    imported(
        supervisor,
        "DEF PIECE Pose { translation 0 9 1 children [ Shape { geometry"
        " DEF PIECE_FORM Box { size 0.1 0.1 0.1 } } ] }",
    )
    node = imported(
        supervisor,
        "DEF COPY Solid { children [ USE PIECE ] boundingObject USE PIECE_FORM"
        " physics Physics { density -1 mass 1 } }",
    )
    form = node.getField("boundingObject").getSFNode()
    assert form.getField("size").getSFVec3f() == [0.1] * 3
    pose = node.getField("children").getMFNode(0)
    assert pose.getField("translation").getSFVec3f() == [0, 9, 1]


def test_text_that_was_exported_can_be_imported(supervisor):
    node = imported(supervisor, solid("Box { size 0.2 0.3 0.4 }"))
    text = node.exportString()
    weight = inertia(node)
    node.remove()
    again = imported(supervisor, text)
    assert again.exportString() == text
    np.testing.assert_allclose(inertia(again), weight)


def test_an_imported_state_at_the_beginning_is_where_it_came(supervisor):
    node = imported(supervisor, solid("Sphere { radius 0.1 }"))
    supervisor.step(400)
    node.loadState("__init__")
    assert node.getPosition() == [0, 0, 1.5]
    assert node.getVelocity() == [0] * 6


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Robot { }", "a Robot that comes into a world that runs has to be in"),
        ("Maze { }", "has to be in the scenario's spares, or a Solid"),
        ("Solid { ", "expected a field of Solid or '}'"),
        ("Solid { translation 1 }", "1 numbers; 3 are needed"),
        ("Solid { boundingObject Cone { } }", "a Cone in a boundingObject"),
        (
            "Solid { boundingObject Box { size 0 1 1 } }",
            "size that is not above 0",
        ),
        (
            "Solid { boundingObject Plane { } physics Physics { } }",
            "a Plane cannot move",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(supervisor, capsys, text, problem):
    count = supervisor.getRoot().getField("children").getCount()
    supervisor.getRoot().getField("children").importMFNodeFromString(-1, text)
    error = capsys.readouterr().err
    assert problem in error and error.count("\n") == 1
    assert supervisor.getRoot().getField("children").getCount() == count


@pytest.mark.parametrize("kind", ["Group", "Solid"])
def test_nothing_is_left_of_a_node_that_is_refused_midway(
    supervisor, children, kind
):
    count = children.getCount()
    inspector = supervisor._client.host.stepped.surroundings.inspector
    shapes = inspector().num_geometries()
    good, bad = (
        f"Shape {{ geometry Sphere {{ radius {radius} }} }}"
        for radius in (1, -1)
    )
    for _ in range(5):  # more than there are in stock
        children.importMFNodeFromString(
            -1, f"{kind} {{ children [ {good} {bad} ] }}"
        )
    assert children.getCount() == count
    assert inspector().num_geometries() == shapes
    children.importMFNodeFromString(-1, f"{kind} {{ children [ {good} ] }}")
    assert children.getCount() == count + 1
    assert inspector().num_geometries() == shapes + 1


def test_when_the_stock_is_used_up_a_line_says_how_to_have_more(
    supervisor, children, capsys
):
    for _ in range(5):
        imported(supervisor, "Solid { }")
    assert "all 4 Solids in stock are in the world; `stock: 8`" in (
        capsys.readouterr().err
    )


def test_what_has_no_effect_is_told_once(supervisor, capsys):
    text = (
        "Solid { children [ PointLight { } Shape { geometry Cone { } } ]"
        ' contactMaterial "ice" model "cube" }'
    )
    for _ in range(2):
        imported(supervisor, text)
    errors = capsys.readouterr().err
    assert errors.count("without effect here: a PointLight, a Cone\n") == 1
    node = supervisor.getRoot().getField("children").getMFNode(-1)
    assert node.getField("model").getSFString() == "cube"


def test_what_a_solid_cannot_bring_is_told_with_a_way(supervisor, capsys):
    imported(
        supervisor,
        "Solid { children [ HingeJoint { endPoint Solid { } } Solid { } GPS { } ] }",
    )
    (line,) = capsys.readouterr().err.splitlines()
    assert "a HingeJoint (a plant that runs takes no joints;" in line
    assert "a Solid in another node (" in line
    assert "a GPS in another node (" in line


ICE = (
    "stock: 2, contact_properties: [{material1: ice, coulomb_friction: [0.05]},"
    " {material1: ice, material2: rubber, coulomb_friction: [2]}]"
)


@pytest.mark.parametrize(
    ("material", "friction"), [("ice", 0.05), ("default", 1.0), ("wood", 1.0)]
)
def test_an_imported_solid_slides_as_its_material_does(material, friction):
    with RobotSession(world(ICE)) as session:
        supervisor = session.supervisor("arm")
        node = imported(
            supervisor,
            solid(
                "Box { size 0.4 0.4 0.1 }",
                more=f'contactMaterial "{material}"',
            ),
        )
        assert node.getField("contactMaterial").getSFString() == material
        node.getField("translation").setSFVec3f([2, -2, 0.0501])
        supervisor.step(160)
        speed, time = 1.5, 0.08
        node.setVelocity([speed, 0, 0, 0, 0, 0])
        supervisor.step(80)
        # Coulomb: v - mu g t. Before the box has sunk into its patch it presses with
        # less, or more, than its weight.
        left = speed - friction * G * time
        assert node.getVelocity()[0] == pytest.approx(left, abs=0.03)


def test_a_program_that_imports_finds_a_stock_without_asking_for_one():
    # This file is on the way to the session.
    scenario = loaded(FILE, "World", "{simulation_duration: .inf}")
    with RobotSession(scenario) as session:
        node = imported(session.supervisor("arm"), "DEF A Solid { }")
        assert node.getDef() == "A"
    assert scenario.stock is None


def test_a_trail_that_is_not_drawn_keeps_its_points(supervisor, capsys):
    # As supervisors draw trails: points and indices are added one by one.
    imported(
        supervisor,
        "DEF TRAIL Shape { geometry DEF LINES IndexedLineSet { coord Coordinate {"
        " point [ 0 0 0, 1 2 3 ] } coordIndex [ 0 1 -1 ] } }",
    )
    lines = supervisor.getFromDef("LINES")
    assert lines.getTypeName() == "IndexedLineSet"
    points = lines.getField("coord").getSFNode().getField("point")
    indices = lines.getField("coordIndex")
    points.setMFVec3f(1, [4, 5, 6])
    points.insertMFVec3f(-1, [7, 8, 9])
    indices.insertMFInt32(2, 2)
    indices.setMFInt32(0, 1)
    assert [points.getMFVec3f(i) for i in (1, 2)] == [[4, 5, 6], [7, 8, 9]]
    assert [indices.getMFInt32(i) for i in range(4)] == [1, 1, 2, -1]
    points.removeMF(0)
    assert points.getCount() == 2
    assert "point [ 4 5 6, 7 8 9 ]" in supervisor.getFromDef(
        "TRAIL"
    ).exportString().replace("\n", " ")
    errors = capsys.readouterr().err
    assert errors.count("without effect here: a IndexedLineSet") == 1
    points.setMFVec3f(9, [0, 0, 0])
    points.setMFInt32(0, 1)
    errors = capsys.readouterr().err
    assert "out of bounds" in errors and "is of type MFVec3f" in errors


def test_a_controller_that_imports_finds_a_stock(tmp_path, capsys):
    file = controller(
        tmp_path,
        """
        from controller import Supervisor
        s = Supervisor()
        children = s.getRoot().getField("children")
        for i in range(12):
            children.importMFNodeFromString(-1, "DEF B%d Solid { translation %d 9 1"
                " boundingObject Sphere { radius 0.1 } physics Physics { } }" % (i, i))
        while s.step(8) != -1:
            pass
        print(round(s.getFromDef("B11").getPosition()[0], 6))
        """,
    )
    results = run_with_controllers(
        loaded(FILE, "World", "{simulation_duration: 0.2}"), {"arm": file}
    )
    assert unlabelled(capsys.readouterr().out) == ["11.0"]
    # Of those in stock nothing is recorded that is not drawn.
    assert not any("imported" in name for name in results.signals)
    assert not any("imported" in name for name in results.metadata["positions"])
    assert results.positions.shape[1] == len(results.metadata["positions"])


def test_a_run_with_a_stock_can_be_drawn_again():
    scenario = world("stock: 2, recorded_bodies: {imported_1: [solid]}")
    with RobotSession(scenario) as session:
        supervisor = session.supervisor("arm")
        imported(supervisor, solid("Sphere { radius 0.1 }"))
        supervisor.step(80)
        results = session.results()
    place = results["imported_1/solid/position"]
    assert place[-1, 2] == pytest.approx(1.5 - 9.81 * H**2 * 55, abs=1e-9)
    puppet = Puppet(scenario)
    assert position_names(puppet.plant) == built_positions(results.metadata)
    puppet.pose(results.positions[-1])
    assert not any("imported_2" in name for name in results.signals)


def test_a_reload_takes_away_what_was_imported(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("RELOADED", "")
    file = controller(
        tmp_path,
        """
        import os
        from controller import Supervisor
        s = Supervisor()
        children = s.getRoot().getField("children")
        box = s.getFromDef("BOX")
        size = box.getField("children").getMFNode(0).getField("geometry")
        size = size.getSFNode().getField("size")
        limit = s.getFromDevice(s.getDevice("hinge motor")).getField("maxVelocity")
        print(children.getCount(), size.getSFVec3f(), limit.getSFFloat())
        form = "Shape { geometry DEF F Sphere { radius 0.1 } }"
        children.importMFNodeFromString(-1, "DEF N Solid { translation 0 0 1"
            " children [ %s ] boundingObject USE F physics Physics { } }" % form)
        children.importMFNodeFromString(-1, "Pose { children [ %s ] }" % form)
        size.setSFVec3f([1, 1, 1])
        limit.setSFFloat(1)
        s.step(80)
        print(children.getCount(), size.getSFVec3f(), limit.getSFFloat())
        if not os.environ["RELOADED"]:
            os.environ["RELOADED"] = "yes"
            s.worldReload()
            s.step(80)
        """,
    )
    run_with_controllers(
        loaded(FILE, "World", "{simulation_duration: 0.4}"), {"arm": file}
    )
    told = unlabelled(capsys.readouterr().out)
    assert told == 2 * ["6 [0.05, 0.05, 0.05] 8.0", "8 [1.0, 1.0, 1.0] 1.0"]


@pytest.mark.parametrize("drive", ["torque", "implicit"])
def test_a_stock_that_waits_changes_no_bit(drive):
    results = []
    for stock in (0, 3):
        text = f"stock: {stock}, model_drivers: {{arm: {{drive: {drive}}}}}"
        with RobotSession(world(text)) as session:
            supervisor = session.supervisor("arm")
            supervisor.getDevice("hinge motor").setPosition(1.2)
            supervisor.step(800)
            results.append(session.results())
    for name, values in results[0].signals.items():
        assert np.array_equal(results[1][name], values, equal_nan=True), name


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("stock: -1", "a whole number from 0 to 1000"),
        (
            "stock: 1, spares: {Ball: []}, plant_config: {time_step: 0},"
            " model_drivers: {arm: {basic_time_step: 0.008},"
            " referee: {basic_time_step: 0.008}}",
            "a continuous plant (time_step 0) cannot hold spares",
        ),
    ],
)
def test_a_wrong_stock_is_refused_with_its_place(text, problem):
    with pytest.raises(InputError) as caught:
        RobotSession(world(text))
    assert problem in str(caught.value) and "stock" in str(caught.value)


LIFT = """#VRML_SIM R2023b utf8
WorldInfo { basicTimeStep 8 }
Robot {
  name "lift"
  supervisor TRUE
  controller "<none>"
  children [
    SliderJoint {
      jointParameters JointParameters { axis 0 0 1 }
      device [ LinearMotor { name "motor" maxForce 200 } ]
      endPoint DEF LIFT Solid {
        translation 0 0 1
        boundingObject Box { size 0.4 0.4 0.1 }
        physics Physics { mass 2 density -1 }
      }
    }
  ]
}
"""


def test_motors_that_nothing_else_touches_carry_it(tmp_path):
    file = tmp_path / "lift.wbt"
    file.write_text(LIFT)
    with RobotSession(load_scenario(file, text="{stock: 1}")) as session:
        supervisor = session.supervisor("lift")
        imported(supervisor, solid("Box { size 0.3 0.3 0.9 }"))
        supervisor.step(600)
        lift = supervisor.getFromDef("LIFT").getPosition()
        # A servo slips by cfm times its effort, 1e-5 * 49 m/s, which P = 10 makes up.
        assert lift == pytest.approx([0, 0, 1], abs=1e-4)
