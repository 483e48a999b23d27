// The live page: one WebSocket brings the scene once and then frames; what somebody
// does goes back as JSON. Drake has z up, three.js y.
"use strict";

const THREE = MeshCat.THREE;
const byId = id => document.getElementById(id);
const view = byId("view");
const viewer = new MeshCat.Viewer(view, false);
viewer.gui.domElement.style.display = "none";
new ResizeObserver(() => viewer.set_3d_pane_size()).observe(view);

const MODES = ["position", "velocity", "effort"];
const KEPT = 10;  // s of a plot
const NUMBERS = 6;  // of a motor in a frame
let socket, about = null, rows = [], latest = null, sim = {state: "", start: null};

const up = ([x, y, z]) => new THREE.Vector3(x, z, -y);
const down = v => [v.x, -v.z, v.y];
const send = message => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
};

function connect() {
  socket = new WebSocket(`ws://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({data}) => {
    if (typeof data === "string") return told(JSON.parse(data));
    const bytes = new Uint8Array(data);
    if (bytes[0] === 0xc1) latest = data;
    else viewer.handle_command_bytearray(bytes);
  };
  socket.onclose = () => {
    byId("notice").textContent = "the run has ended, or its server is gone";
    setTimeout(connect, 1000);
  };
}

function told(message) {
  if (message.motors) begin(message);
  if (message.complete) settle();
  if (message.state) {
    sim.state = message.state;
    byId("pause").textContent = message.state === "paused" ? "go on" : "pause";
    byId("notice").textContent = message.state === "over" ? "the run is over" : "";
  }
  if (message.say) {
    const line = document.createElement("div");
    line.textContent = message.say;
    byId("said").append(line);
  }
}

// Everything is new: a page that connects, or a run that starts again.
function begin(message) {
  about = message;
  latest = null;
  about.nodes = about.paths.map(path => path.split("/").filter(Boolean));
  byId("rate").value = about.rate;
  byId("follow").checked = about.follow;
  byId("said").replaceChildren();
  byId("plots").replaceChildren();
  byId("robots").replaceChildren();
  rows = about.motors.map(addRow);
  sim.start = null;
}

// Meshes are parsed beside the page: wait until no more come.
function settle() {
  let before = -1, calm = 0;
  const look = () => {
    let count = 0;
    viewer.scene.traverse(() => { count += 1; });
    calm = count === before ? calm + 1 : 0;
    before = count;
    if (calm < 3) return setTimeout(look, 100);
    lookFrom("fit");
    byId("notice").textContent = "";
    send({loaded: true});
  };
  look();
}

function addRow(motor, index) {
  let folder = [...byId("robots").children].find(d => d.dataset.robot === motor.robot);
  if (!folder) {
    folder = document.createElement("details");
    folder.open = true;
    folder.dataset.robot = motor.robot;
    const summary = document.createElement("summary");
    summary.textContent = motor.robot;
    folder.append(summary);
    byId("robots").append(folder);
  }
  const row = document.createElement("div");
  row.className = "motor";
  row.dataset.motor = `${motor.robot}/${motor.name}`;
  row.innerHTML = `<span class=name></span><span class=track><input type=range><i></i></span>
    <span class=value></span><button class=mode></button>
    <span class=effort><i></i></span><span class=speed></span>`;
  const part = name => row.querySelector(name);
  part(".name").textContent = motor.name;
  part(".name").title = `${motor.name}: click to plot`;
  const slider = part("input");
  slider.oninput = () => { send({set: [index, Number(slider.value)]}); };
  part(".mode").onclick = () => send({mode: index});
  const made = {row, slider, motor, mode: -1, mark: part(".track i"), value: part(".value"),
    button: part(".mode"), effort: part(".effort"), bar: part(".effort i"),
    speed: part(".speed"), plot: null, samples: [[], [], [], []]};
  part(".name").onclick = () => togglePlot(made);
  folder.append(row);
  return made;
}

const short = number => {
  const size = Math.abs(number);
  if (size < 1e-6) return "0.00";
  return size >= 1000 || size < 1e-3 ? number.toExponential(1) : number.toPrecision(3);
};

function showRow(made, [position, velocity, effort, limit, commanded, mode]) {
  const offer = made.motor.offers[mode];
  if (mode !== made.mode) {
    made.mode = mode;
    Object.assign(made.slider, {min: offer.low, max: offer.high, step: offer.step});
    made.button.textContent = ["pos", "vel", "eff"][mode];
    made.button.title = `${MODES[mode]} control; click to change`;
  }
  if (document.activeElement !== made.slider || !made.slider.matches(":active"))
    made.slider.value = commanded;
  const measured = [position, velocity, effort][mode];
  const share = (measured - offer.low) / (offer.high - offer.low);
  made.mark.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  made.value.textContent = `${short(position)} ${made.motor.offers[0].unit}`;
  made.speed.textContent = `${short(velocity)} ${made.motor.offers[1].unit}`;
  const load = limit > 0 && isFinite(limit) ? Math.min(Math.abs(effort) / limit, 1) : 0;
  made.effort.classList.toggle("full", load > 1 - 1e-6);
  made.effort.title = `${short(effort)} of ${short(limit)} ${made.motor.offers[2].unit}`;
  made.bar.style.left = `${effort < 0 ? 50 - 50 * load : 50}%`;
  made.bar.style.width = `${50 * load}%`;
}

function togglePlot(made) {
  made.row.classList.toggle("plotted", !made.plot);
  if (made.plot) {
    made.plot.root.parentElement.remove();
    made.plot.destroy();
    made.plot = null;
    return;
  }
  const box = document.createElement("div");
  box.className = "plot";
  byId("plots").append(box);
  const [place, , load] = made.motor.offers;
  const line = (label, stroke, scale, dash) => ({label, stroke, scale, dash, width: 1.5});
  made.plot = new uPlot({
    width: byId("panel").clientWidth - 20, height: 150, title: made.motor.name,
    scales: {x: {time: false}},
    axes: [{label: "s", labelSize: 14, size: 26, stroke: "#888"},
      {scale: "place", label: place.unit, labelSize: 14, size: 46, stroke: "#0072b2"},
      {scale: "load", side: 1, label: load.unit, labelSize: 14, size: 46,
        stroke: "#e69f00", grid: {show: false}}],
    series: [{label: "s"}, line("position", "#0072b2", "place"),
      line("target", "#0072b2", "place", [4, 3]), line("effort", "#e69f00", "load")],
  }, made.samples, box);
}

function keep(made, time, [position, , effort, , commanded, mode]) {
  const [times, ...rest] = made.samples;
  if (times.length && time < times[times.length - 1])
    made.samples.forEach(values => values.splice(0));
  times.push(time);
  const values = [position, mode === 0 ? commanded : null, effort];
  rest.forEach((series, i) => series.push(values[i]));
  const old = times.findIndex(t => t >= time - KEPT);
  if (old > 0) made.samples.forEach(series => series.splice(0, old));
  if (made.plot) made.plot.setData(made.samples);
}

let followed = null;

function drawFrame(data) {
  const head = new DataView(data);
  const time = head.getFloat64(4, true), count = head.getUint32(12, true);
  const poses = new Float32Array(data, 20, 16 * count);
  const numbers = new Float32Array(data, 20 + 64 * count);
  for (let i = 0; i < count; i++)
    viewer.set_transform(about.nodes[i], Array.from(poses.subarray(16 * i, 16 * i + 16)));
  follow(poses);
  rows.forEach((made, k) => {
    const own = numbers.subarray(NUMBERS * k, NUMBERS * (k + 1));
    showRow(made, own);
    keep(made, time, own);
  });
  byId("time").textContent = about.duration
    ? `${time.toFixed(2)} of ${about.duration} s` : `${time.toFixed(2)} s`;
  byId("pull").textContent = held && sim.state !== "paused"
    ? `${short(head.getFloat32(16, true))} N` : "";
  viewer.set_dirty();
}

function follow(poses) {
  const free = about.followed;
  if (!free.length) return;
  const place = [0, 1, 2].map(
    k => free.reduce((sum, i) => sum + poses[16 * i + 12 + k], 0) / free.length);
  const here = up(place);
  if (followed && byId("follow").checked) {
    const moved = here.clone().sub(followed);
    viewer.camera.position.add(moved);
    viewer.controls.target.add(moved);
  }
  followed = here;
}

const FROM = {fit: [1, -1, 0.6], front: [1, 0, 0.05], side: [0, -1, 0.05], top: [0, -0.01, 1]};

function lookFrom(name) {
  const box = new THREE.Box3();
  const moving = about.nodes.map(path => viewer.scene_tree.find(path).object);
  moving.forEach(object => box.expandByObject(object));
  if (box.isEmpty()) about.corners.forEach(corner => box.expandByPoint(up(corner)));
  const center = box.getCenter(new THREE.Vector3());
  const radius = Math.max(box.getSize(new THREE.Vector3()).length() / 2, 0.05);
  const camera = viewer.camera;
  const narrow = Math.min(1, camera.aspect || 1);
  const angle = Math.atan(Math.tan(camera.fov * Math.PI / 360) * narrow);
  const away = up(FROM[name]).normalize().multiplyScalar(1.5 * radius / Math.sin(angle));
  camera.position.copy(center.clone().add(away));
  viewer.controls.target.copy(center);
  viewer.set_dirty();
}

// Pulling: the pointer's ray meets a plane through the point that faces the camera.
let held = null;
const ray = new THREE.Raycaster();

function aim(event) {
  const area = viewer.renderer.domElement.getBoundingClientRect();
  ray.setFromCamera(new THREE.Vector2(
    2 * (event.clientX - area.left) / area.width - 1,
    1 - 2 * (event.clientY - area.top) / area.height), viewer.camera);
}

function pick(event) {
  aim(event);
  const bodies = new Map(
    about.nodes.map((path, i) => [viewer.scene_tree.find(path).object, about.paths[i]]));
  for (const hit of ray.intersectObjects([...bodies.keys()], true)) {
    for (let object = hit.object; object; object = object.parent)
      if (bodies.has(object)) return {point: hit.point, object, path: bodies.get(object)};
  }
  return null;
}

view.addEventListener("pointerdown", event => {
  if (!about || !(event.altKey || event.shiftKey)) return;
  const found = pick(event);
  if (!found) return;
  event.stopPropagation();
  event.preventDefault();
  view.setPointerCapture(event.pointerId);
  const facing = viewer.camera.getWorldDirection(new THREE.Vector3());
  held = {path: found.path, point: found.object.worldToLocal(found.point.clone()).toArray(),
    plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, found.point)};
}, true);
view.addEventListener("pointermove", event => {
  if (!held) return;
  event.stopPropagation();
  aim(event);
  const target = ray.ray.intersectPlane(held.plane, new THREE.Vector3());
  if (target) send({pull: {path: held.path, point: held.point, target: down(target)}});
}, true);
for (const name of ["pointerup", "pointercancel", "blur"])
  view.addEventListener(name, () => {
    if (held) send({pull: null});
    held = null;
  }, true);

// Keys for controllers, with the numbers of Webots' Keyboard.
const NAMED = {End: 312, Home: 313, ArrowLeft: 314, ArrowUp: 315, ArrowRight: 316,
  ArrowDown: 317, PageUp: 366, PageDown: 367};
const keys = new Map();

function keyOf(event) {
  const plain = event.key.length === 1 ? event.key.toUpperCase().charCodeAt(0) : 0;
  const code = NAMED[event.key] || plain;
  return code && code + (event.shiftKey ? 0x10000 : 0) + (event.ctrlKey ? 0x20000 : 0)
    + (event.altKey ? 0x40000 : 0);
}

const tellKeys = () => send({keys: [...keys.values()]});

window.addEventListener("keydown", event => {
  if (event.repeat || event.target.matches("input")) return;
  const key = keyOf(event);
  if (!key) return;
  if (event.code.startsWith("Arrow")) event.preventDefault();
  keys.set(event.code, key);
  tellKeys();
});
window.addEventListener("keyup", event => {
  if (keys.delete(event.code)) tellKeys();
});
window.addEventListener("blur", () => {
  if (keys.size) { keys.clear(); tellKeys(); }
});

for (const name of ["pause", "step", "reset", "stop"])
  byId(name).onclick = () => send({run: name});
byId("rate").onchange = event => send({rate: Number(event.target.value)});
for (const button of document.querySelectorAll("[data-view]"))
  button.onclick = () => lookFrom(button.dataset.view);

function animate() {
  if (latest && about) {
    const data = latest;
    latest = null;
    drawFrame(data);
    send({drawn: true});
  }
  if (viewer.needs_render) viewer.render();
  requestAnimationFrame(animate);
}

connect();
animate();
