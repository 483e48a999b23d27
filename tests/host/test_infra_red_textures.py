"""Infra-red rays see the texture where they meet a surface, as it is drawn."""

import numpy as np
import pytest

from webmotor_drake.errors import MotorWarning
from webmotor_drake.host.senses import renderer
from webmotor_drake.host.senses.surface_redness import _of_box
from webmotor_drake.loading import load_scenario
from webmotor_drake.robot import RobotSession

Pillow = pytest.importorskip("PIL.Image")
drawn = pytest.mark.skipif(
    not renderer.can_render(), reason="nothing to draw with (libegl1, libgl1)"
)

SDF = """<sdf version="1.7"><model name="wall"><link name="wall">
  <visual name="seen"><geometry>{geometry}</geometry><material>
    <diffuse>1 1 1 1</diffuse>{texture}
  </material></visual></link></model></sdf>"""
TEXTURE = "<drake:diffuse_map>half.png</drake:diffuse_map>"
# A square of 1 m across x, whose u goes to the right, seen from -x, and v up.
OBJ = """mtllib square.mtl
v 0 0.5 -0.5
v 0 -0.5 -0.5
v 0 -0.5 0.5
v 0 0.5 0.5
v 0.1 0 0
vt 0 0
vt 1 0
vt 1 1
vt 0 1
usemtl paint
f 1/1 2/2 3/3 4/4
"""


@pytest.fixture
def wall(tmp_path):
    """Returns a function that makes a session with a wall 1 m before a sensor."""
    # Red above, black below on the left, half red below on the right.
    pixels = np.zeros((8, 8, 3), np.uint8)
    pixels[:4, :, 0] = 255
    pixels[4:, 4:, 0] = 128
    Pillow.fromarray(pixels).save(tmp_path / "half.png")
    (tmp_path / "square.obj").write_text(OBJ)
    (tmp_path / "square.mtl").write_text(
        "newmtl paint\nKd 1 1 1\nmap_Kd half.png\n"
    )

    def made(geometry, texture=""):
        file = tmp_path / "wall.sdf"
        text = SDF.format(geometry=geometry, texture=texture)
        file.write_text(
            text.replace("<sdf ", '<sdf xmlns:drake="http://drake.mit.edu" ', 1)
        )
        return RobotSession(load_scenario(_scenario(tmp_path)))

    return made


def _scenario(folder):
    file = folder / "s.scenario.yaml"
    eyes = "".join(
        f"""
        eye {i}: !DistanceSensor
          type: infra-red
          frame: base
          lookup_table: [[0, 0, 0], [9, 9, 0]]
          pose: {{translation: [-1, {y}, {z}]}}"""
        for i, (y, z) in enumerate([(0.2, 0.3), (0.2, -0.3), (-0.2, -0.3)])
    )
    file.write_text(f"""
Wall:
  plant_config: {{time_step: 0.008}}
  directives:
  - add_model: {{name: wall, file: wall.sdf}}
  - add_weld: {{parent: world, child: wall::wall}}
  - add_model: {{name: arm, file: package://webmotor_models/pendulum.urdf}}
  - add_weld: {{parent: world, child: arm::base, X_PC: {{translation: [-9, 0, 0]}}}}
  - add_frame: {{name: base, X_PF: {{base_frame: world}}}}
  model_drivers:
    arm: !WebotsMotorDriver
      motors: {{motor: !RotationalMotor {{joint: hinge}}}}
      devices:{eyes.replace("frame: base", "frame: world")}
""")
    return file


def factors(session):
    """Returns the part of the light that comes back: 0.2 + 0.8 times the redness."""
    with session:
        robot = session.robot("arm")
        eyes = [robot.getDevice(f"eye {i}") for i in range(3)]
        for eye in eyes:
            eye.enable(8)
        robot.step(16)
        return [eye.getValue() for eye in eyes]


def test_a_box_has_the_redness_of_its_texture_where_a_ray_meets_it(wall):
    box = "<box><size>0.1 1 1</size></box>"
    # On the face of -x, u is 1 - y: the left of the picture is at +y.
    found = [0.95 / f for f in factors(wall(box, TEXTURE))]
    half = 0.2 + 0.8 * 128 / 255
    assert found == pytest.approx([1, 0.2, half], rel=1e-6)


def test_a_mesh_has_it_by_its_texture_coordinates(wall):
    mesh = "<mesh><uri>square.obj</uri></mesh>"
    found = [1 / f for f in factors(wall(mesh))]
    half = 0.2 + 0.8 * 128 / 255
    # Drake gives the hull of what is flat a thickness of micrometres.
    assert found == pytest.approx([1, 0.2, half], rel=1e-6)


def test_another_shape_has_the_mean_of_its_texture(wall):
    sphere = "<sphere><radius>0.6</radius></sphere>"
    mean = (0.5 + 0.25 * 128 / 255) * 0.8 + 0.2
    away = [1 - np.sqrt(0.36 - y**2 - z**2) for y, z in [(0.2, 0.3)]]
    assert factors(wall(sphere, TEXTURE))[0] == pytest.approx(away[0] / mean)


def test_a_texture_that_cannot_be_read_is_told(wall, tmp_path):
    session = wall("<box><size>0.1 1 1</size></box>", TEXTURE)
    (tmp_path / "half.png").write_text("no picture")
    with pytest.warns(MotorWarning, match="do not see the texture"):
        found = factors(session)
    assert found == pytest.approx([0.95] * 3)


@drawn
def test_texture_coordinates_of_boxes_are_those_that_are_drawn(tmp_path):
    # Drawn by Drake's VTK engine: red is u, green v.
    from pydrake import geometry
    from pydrake.math import RigidTransform, RotationMatrix

    n = 16
    steps = (np.arange(n) + 0.5) / n * 255
    pixels = np.zeros((n, n, 3), np.uint8)
    pixels[..., 0], pixels[..., 1] = steps[None], steps[::-1, None]
    Pillow.fromarray(pixels).save(tmp_path / "uv.png")
    scene = geometry.SceneGraph()
    source = scene.RegisterSource("box")
    lamp = geometry.LightParameter(type="point", frame="camera")
    engine = geometry.RenderEngineVtkParams(lights=[lamp])
    scene.AddRenderer("vtk", geometry.MakeRenderEngineVtk(engine))
    seen = geometry.PerceptionProperties()
    seen.AddProperty("label", "id", geometry.RenderLabel(1))
    seen.AddProperty("phong", "diffuse_map", str(tmp_path / "uv.png"))
    box = geometry.GeometryInstance(
        RigidTransform(), geometry.Box(1, 1, 1), "b"
    )
    box.set_perception_properties(seen)
    scene.RegisterAnchoredGeometry(source, box)
    context = scene.CreateDefaultContext()
    query = scene.get_query_output_port().Eval(context)
    core = renderer.camera_core(64, 64, 320, 0.1, 100)
    core = geometry.RenderCameraCore(
        "vtk", core.intrinsics(), core.clipping(), RigidTransform()
    )
    for axis in range(3):
        for sign in (-1, 1):
            ahead = -sign * np.eye(3)[axis]
            right = np.eye(3)[(axis + 1) % 3]
            R = np.column_stack([right, np.cross(ahead, right), ahead])
            X_WC = RigidTransform(RotationMatrix(R), -10 * ahead)
            camera = geometry.ColorRenderCamera(core)
            image = query.RenderColorImage(camera, scene.world_frame_id(), X_WC)
            for across in ([-0.3, 0.2], [0.25, -0.35]):
                p = -0.5 * ahead
                p[[(axis + 1) % 3, (axis + 2) % 3]] = across
                x, y, z = R.T @ (p + 10 * ahead)
                pixel = image.data[int(32 + 320 * y / z), int(32 + 320 * x / z)]
                # A texel is 1/16 wide, and the light dims by the angle to it.
                np.testing.assert_allclose(
                    pixel[:2] / 255, _of_box(2 * p), atol=0.07
                )
