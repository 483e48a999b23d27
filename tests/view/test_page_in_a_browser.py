"""A browser drives a run in the page: rows, plots, keys, pulls, cameras, tabs."""

import pytest
from browser import page_in, started_browser
from live_command import until

import webmotor_drake as wm
from webmotor_drake.data import SCENARIOS

pytestmark = pytest.mark.slow

CONTROLLER = """
from controller import Keyboard, Robot
robot = Robot()
keyboard = Keyboard()
keyboard.enable(8)
before = None
while robot.step(8) != -1:
    keys = []
    while (key := keyboard.getKey()) != -1:
        keys.append(key)
    if keys != before:
        print("keys", sorted(keys), "<b>bold</b>")
    before = keys
"""
# A name that would run a script if a page took it for HTML.
NAME = "<img src=x onerror=alert(1)>"
SCENARIO = """
Cart:
  simulation_duration: 1000
  plant_config: {time_step: 0.008}
  directives:
  - add_model:
      name: floor
      file: package://webmotor_models/ground.urdf
  - add_weld: {parent: world, child: floor::ground}
  - add_model:
      name: cart
      file: package://webmotor_models/rover.urdf
      default_free_body_pose: {chassis: {translation: [0, 0, 0.1]}}
  model_drivers:
    cart: !WebotsMotorDriver
      motors:
        "<img src=x onerror=alert(1)>": !RotationalMotor
          joint: front_left
          max_torque: 1
        right: !RotationalMotor {joint: front_right, max_torque: 1}
      controller: own.py
"""


@pytest.fixture(scope="module")
def browser():
    """Keeps a browser: it takes a second of a processor to start."""
    with started_browser() as browser:
        yield browser


@pytest.fixture
def shown(browser):
    """Returns a new page, without anything of the last one."""
    with page_in(browser, width=700, height=400) as page:
        yield page


def ready_page(page, address):
    """Opens an address; waits until the scene is there."""
    page.goto(address)
    page.locator(".motor").first.wait_for()
    until(
        lambda: page.evaluate(
            "!document.getElementById('notice').textContent.startsWith('load')"
        )
    )
    until(lambda: page.evaluate("webmotor.panel.time !== undefined"))


def time_of(page):
    return page.evaluate("webmotor.panel.time")


def said(page):
    return page.locator("#said").inner_text()


def place(page, body="chassis"):
    """Returns where a body is on the screen, and in Drake's world."""
    return page.evaluate(
        """body => {
            const {stage} = webmotor;
            const i = stage.paths.findIndex(path => path.endsWith(body));
            const at = stage.object(stage.nodes[i]).getWorldPosition(
                new MeshCat.THREE.Vector3());
            const world = [at.x, -at.z, at.y];
            stage.camera.updateMatrixWorld();
            const seen = at.project(stage.camera);
            const area = stage.canvas.getBoundingClientRect();
            return {...area.toJSON(), world,
                x: area.left + (seen.x + 1) / 2 * area.width,
                y: area.top + (1 - seen.y) / 2 * area.height};
        }""",
        body,
    )


def is_seen(at):
    """Returns whether a place on the screen is within the 3D view."""
    return (
        at["left"] < at["x"] < at["right"]
        and at["top"] < at["y"] < at["bottom"]
    )


def drag(page, dx, dy):
    """Drags the cart with Shift, and lets go."""
    start = place(page)
    page.keyboard.down("Shift")
    page.mouse.move(start["x"], start["y"])
    page.mouse.down()
    for share in (0.3, 0.6, 1.0):
        page.mouse.move(start["x"] + share * dx, start["y"] + share * dy)
    return start


def drop(page):
    page.mouse.up()
    page.keyboard.up("Shift")


def test_all_that_a_page_offers(shown, start, tmp_path):
    (tmp_path / "own.py").write_text(CONTROLLER)
    (tmp_path / "cart.scenario.yaml").write_text(SCENARIO)
    command = start("run", "cart.scenario.yaml", "--page", "--out", "out")
    page = shown.page
    shown.problems.clear()
    ready_page(page, command.address)

    # Names are text; what controllers print, too.
    assert page.locator(".motor .name").first.inner_text() == NAME
    until(lambda: "<b>bold</b>" in said(page))

    # A plot of a motor that was clicked has samples.
    page.locator(".motor .name").nth(1).click()
    until(
        lambda: page.evaluate(
            "webmotor.panel.rows[1].trace.samples[0].length > 5"
        )
    )
    assert page.locator(".plot canvas").count() == 1

    # Several keys at once, with modifiers, and none any more.
    page.keyboard.down("ArrowUp")
    page.keyboard.down("Control")
    page.keyboard.down("k")
    until(lambda: f"keys [315, {ord('K') + 0x20000}]" in said(page))
    for key in ("k", "Control", "ArrowUp"):
        page.keyboard.up(key)
    until(lambda: said(page).strip().split("\n")[-1].startswith("keys []"))

    # Cameras.
    places = set()
    for view in ("front", "top", "side", "fit"):
        page.click(f"[data-view={view}]")
        camera = page.evaluate("webmotor.stage.camera.position.toArray()")
        places.add(tuple(round(x, 1) for x in camera))
        until(lambda: is_seen(place(page)))
    assert len(places) == 4
    page.check("#follow")
    page.check("#orbit")
    turned = page.evaluate("webmotor.stage.camera.position.toArray()")
    until(
        lambda: page.evaluate("webmotor.stage.camera.position.x") != turned[0]
    )

    page.uncheck("#orbit")
    page.uncheck("#follow")
    page.click("[data-view=fit]")

    # The tree hides a body, and centres the view on it; so does a double click.
    page.click("#tree summary")
    page.locator(".body input").last.uncheck()
    hidden = (
        "[...webmotor.stage.bodies().keys()].filter(o => !o.visible).length"
    )
    assert page.evaluate(hidden) == 1
    page.locator(".body input").last.check()
    page.locator(".body .name").last.click()
    assert page.locator(".body [aria-current]").count() == 1
    target = "webmotor.stage.viewer.controls.target.toArray()"
    selected = page.evaluate(target)
    page.click("[data-view=all]")
    assert page.evaluate(target) != selected
    page.click("[data-view=fit]")

    # What is not seen of it comes and goes, and does not change what is framed.
    aids = """(() => { let n = 0; webmotor.stage.viewer.scene.traverse(
        o => { n += o.userData.isAid && o.visible ? 1 : 0; }); return n; })()"""
    framed = page.evaluate(target)
    for kind in ("frames", "joints", "collision", "inertia"):
        page.check(f"#{kind}")
        assert page.evaluate(aids) > 0, kind
        page.click("[data-view=fit]")
        assert page.evaluate(target) == pytest.approx(framed)
        page.uncheck(f"#{kind}")
        assert page.evaluate(aids) == 0
    page.locator(".more").last.click()
    assert "kg" in page.locator(".parts").last.inner_text()

    # Pause, one step, on.
    page.click("#pause")
    until(
        lambda: page.evaluate(
            "document.getElementById('pause').textContent == 'go on'"
        )
    )
    until(lambda: rests(page))
    before = time_of(page)
    page.click("#step")
    until(lambda: time_of(page) > before and rests(page))
    assert time_of(page) == pytest.approx(before + 0.008, abs=1e-6)

    # Put elsewhere while it waits; then pulled while it runs.
    first = drag(page, 40, -60)
    drop(page)
    until(lambda: place(page)["world"][2] > first["world"][2] + 0.02)
    page.click("#pause")
    # It falls: what moves on a busy machine is missed by who reaches for it.
    until(lambda: place(page)["world"][2] < first["world"][2] + 0.002)
    page.click("[data-view=fit]")
    drag(page, 60, 0)
    until(
        lambda: page.evaluate(
            "/ N$/.test(document.getElementById('pull').textContent)"
        )
    )
    drop(page)

    # A motor is driven.
    page.locator(".motor .mode").nth(1).click()
    until(
        lambda: page.evaluate(
            "document.querySelectorAll('.motor .mode')[1].textContent == 'vel'"
        )
    )
    page.locator(".motor [type=range]").nth(1).evaluate(
        "s => { s.value = s.max / 2; s.dispatchEvent(new Event('input')); }"
    )

    # Reloaded, it has everything again; a second page, too.
    page.reload()
    ready_page(page, command.address)
    assert page.locator(".motor").count() == 2
    second = page.context.browser.new_page()
    ready_page(second, command.address)
    now = time_of(second)
    until(lambda: time_of(page) > now)

    # A key that is held when its page closes is let go.
    second.bring_to_front()
    second.keyboard.down("w")
    until(lambda: f"keys [{ord('W')}]" in said(page))
    second.close()
    until(lambda: said(page).strip().split("\n")[-1].startswith("keys []"))

    assert shown.problems == []
    assert all(
        request.startswith((command.address, "data:", "blob:"))
        for request in shown.requests
    )
    assert command.interrupt() == 130, command.told
    verbs = {
        verb
        for given in wm.Results.load(tmp_path / "out").metadata["live_commands"]
        for verb in given
    }
    assert {"put", "pull", "set_velocity"} <= verbs


def test_a_motor_is_tuned_by_keyboard_and_saved(shown, start, tmp_path):
    file = tmp_path / "arm.scenario.yaml"
    text = (SCENARIOS / "two_link_arm.scenario.yaml").read_text()
    file.write_text(text)
    command = start("run", "arm.scenario.yaml", "--page", "--out", "out")
    page = shown.page
    shown.problems.clear()
    ready_page(page, command.address)
    page.keyboard.press("p")  # no controller takes the key
    until(lambda: page.locator("#pause").inner_text() == "go on")

    # A name is a button that opens plot and parameters.
    page.locator(".motor .name").first.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Enter")
    speed = page.locator("[data-parameter=max_velocity]")
    assert page.locator(".plot canvas").count() == 1
    speed.fill("0.25")
    speed.press("Enter")
    until(lambda: page.locator("#changed").inner_text() == "1 changed")
    assert "file: 2" in page.locator(".changed .note").inner_text()

    # What cannot be is refused in its row.
    gain = page.locator("[data-parameter='control_pid[0]']")
    gain.fill("-1")
    gain.press("Enter")
    until(lambda: "must be at least 0" in page.inner_text(".refused .note"))

    # The motor follows: its target is typed, its speed is the new one.
    target = page.locator(".motor .target").first
    target.fill("-1.2")
    target.press("Enter")
    target.press("Escape")
    page.keyboard.press("p")
    until(
        lambda: page.evaluate(
            f"{VELOCITIES}.every(v => Math.abs(v + 0.25) < 0.02)"
        )
    )

    page.click("#copy")
    assert "max_velocity: 0.25" in page.locator("#yaml").inner_text()
    page.click("#save")
    until(lambda: "saved in" in page.locator("#bench-told").inner_text())
    new = file.read_text()
    assert new.count("max_velocity: 0.25") == 1
    assert new.count("#") == text.count("#")
    page.click("#undo")
    until(lambda: page.locator("#changed").inner_text() == "1 changed")
    assert float(speed.input_value()) == 2

    # In a narrow window the panel is below the view; the bar between them moves.
    boxes = (
        "['view', 'panel'].map(id => document.getElementById(id)"
        ".getBoundingClientRect().toJSON())"
    )
    for width, side in ((1000, "left"), (400, "top")):
        page.set_viewport_size({"width": width, "height": 600})
        page.evaluate(DRAWN)
        view, panel = page.evaluate(boxes)
        assert panel[side] >= view[{"left": "right", "top": "bottom"}[side]]
        page.focus("#splitter")
        page.keyboard.press("ArrowDown")
        page.keyboard.press("ArrowDown")
        page.evaluate(DRAWN)
        _, moved = page.evaluate(boxes)
        assert moved[side] > panel[side]
        assert page.evaluate("document.documentElement.scrollWidth") <= width

    # A rate that is none is not shown.
    page.fill("#rate", "-3")
    page.press("#rate", "Enter")
    assert page.input_value("#rate") == "1"
    assert shown.problems == []
    assert command.interrupt() in (0, 130), command.told


# The first motor's of late.
# Two frames later a new size of the window is in the layout.
DRAWN = (
    "() => new Promise(done =>"
    " requestAnimationFrame(() => requestAnimationFrame(done)))"
)
VELOCITIES = "webmotor.panel.rows[0].trace.samples[3].slice(-20)"

# As in a tab in the background: frames come late.
LATE = """
const draw = window.requestAnimationFrame.bind(window), begun = performance.now();
window.requestAnimationFrame = act => performance.now() - begun < 4000
  ? setTimeout(() => window.requestAnimationFrame(act), 50) : draw(act);
"""
SQUARED = """root => {
    let found = 0;
    root().traverse(mesh => {
        if (mesh.isMesh && /vPlace/.test(String(mesh.material.onBeforeCompile)))
            found += 1;
    });
    return found;
}"""


@pytest.mark.parametrize(
    ("scenario", "where"),
    [
        ("walk", "webmotor.stage.object(['drake', 'shapes'])"),
        ("six_axis", "webmotor.stage.overlay"),  # it has no ground of its own
    ],
)
def test_a_floor_has_squares_also_where_frames_come_late(
    shown, start, scenario, where
):
    command = start("run", f"package:{scenario}", "--page", "--out", "out")
    shown.page.add_init_script(LATE)
    ready_page(shown.page, command.address)
    count = shown.page.evaluate(f"({SQUARED})(() => {where})")
    assert count == 1
    assert command.interrupt() in (0, 130), command.told


def rests(page):
    """Returns whether the time stands still: a slow browser is late."""
    before = time_of(page)
    for _ in range(10):
        page.wait_for_timeout(200)
        if time_of(page) != before:
            return False
    return True


def test_a_run_is_played_again_with_its_plots(shown, start, tmp_path):
    wm.run("package:two_link_arm").save(tmp_path / "out")
    command = start("view", "out", "--show", "efforts,targets")
    page = shown.page
    shown.problems.clear()
    ready_page(page, command.address)
    until(lambda: page.evaluate("webmotor.panel.time > 0.2"))
    page.locator(".motor .name").first.click()
    assert page.locator(".plot canvas").count() == 1
    # All of the run is plotted, and the slider goes to any time of it.
    end = page.evaluate("Math.max(...webmotor.panel.rows[0].trace.samples[0])")
    assert end == pytest.approx(wm.Results.load(tmp_path / "out").time[-1])
    # Arrows are there, and change their length.
    arrows = "webmotor.tree.aids.arrows.map(arrow => arrow.level).join()"
    before = page.evaluate(arrows)
    assert before.count(",") == 1
    until(lambda: page.evaluate(arrows) != before)
    page.locator("#moment").evaluate(
        "s => { s.value = 0.5; s.dispatchEvent(new Event('input')); }"
    )
    page.click("#pause")
    assert shown.problems == []
    assert command.interrupt() == 0, command.told


def test_an_effort_has_an_arrow_by_its_share(shown, start):
    command = start("view", str(wm.MODELS / "six_axis.urdf"))
    ready_page(shown.page, command.address)
    levels = shown.page.evaluate(
        """import("/aids.js").then(({levelOf}) => [
          [0, 20], [0.08, 20], [0.2, 20], [-10, 20], [19.98, 20], [20, 20], [-20, 20],
          [-20, 20, true], [NaN, 20], [1, Infinity], [0, 0], [1, 0],
        ].map(effort => levelOf(...effort)))"""
    )
    # Below half a per cent there is none. The 13th is red; effort that was set is not
    # saturated, whatever it is.
    assert levels == [0, 0, 1, -6, 12, 13, -13, -12, 0, 0, 0, 0]


def test_joints_of_a_model_are_moved(shown, start):
    command = start("view", str(wm.MODELS / "six_axis.urdf"))
    page = shown.page
    shown.problems.clear()
    ready_page(page, command.address)
    before = place(page, "tool")["world"]
    page.locator(".motor [type=range]").nth(1).evaluate(
        "s => { s.value = 1; s.dispatchEvent(new Event('input')); }"
    )
    until(lambda: place(page, "tool")["world"] != before)
    assert shown.problems == []
    assert command.interrupt() == 0, command.told


def test_reset_starts_again_and_stop_ends_the_run_whole(shown, start, tmp_path):
    command = start("run", "package:motor_models", "--page", "--out", "out")
    page = shown.page
    shown.problems.clear()
    ready_page(page, command.address)
    # What is no velocity servo says what it is.
    models = page.locator(".motor .name .model").all_inner_texts()
    assert models == ["dc_motor", "pd"]
    # One that has a winding offers to plot what flows in it, and how hot it is.
    page.locator(".motor .name").first.click()
    offered = page.locator(".plot .u-label").all_inner_texts()
    assert offered[-2:] == ["current", "temperature"]
    until(lambda: time_of(page) > 0.1)
    # Each time that is shown is kept: a look from here may miss the first ones.
    page.evaluate(
        """() => {
            const {panel} = webmotor, show = panel.show.bind(panel);
            webmotor.times = [];
            panel.show = (time, numbers) => {
                webmotor.times.push(time);
                show(time, numbers);
            };
        }"""
    )
    page.click("#reset")
    # A busy page may draw the second frame and not the one at 0.
    began_again = "webmotor.times.some((t, i, all) => t < all[i - 1])"
    until(lambda: page.evaluate(began_again))
    # The plot stays open, and begins anew.
    assert page.locator(".plot canvas").count() == 1
    until(
        lambda: page.evaluate(
            "webmotor.panel.rows[0].trace.samples.at(-1).length > 0"
        )
    )
    kept = page.evaluate("webmotor.panel.rows[0].trace.samples")
    assert kept[0][0] < 0.5
    assert 25 <= kept[-1][0] < 125
    until(lambda: time_of(page) > 0.1)
    page.click("#stop")
    notice = page.locator("#notice")
    until(lambda: notice.inner_text().startswith("the run is over"))
    assert "saved in out" in said(page)
    assert shown.problems == []
    # The page stays until Ctrl-C; the run is saved already.
    stopped = wm.Results.load(tmp_path / "out").time[-1]
    assert 0.1 < stopped < 8
    # From here it goes on beyond its end.
    page.click("#step")
    until(lambda: time_of(page) > stopped)
    page.click("#pause")
    until(lambda: time_of(page) > stopped + 0.2)
    assert command.interrupt() == 0, command.told
    assert wm.Results.load(tmp_path / "out").time[-1] > stopped + 0.2
