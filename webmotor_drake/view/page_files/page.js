// A page of ours: a run that goes on, a run again, or robots that stand still. One
// WebSocket brings the scene once and then frames; what somebody does goes back as
// JSON.
import {MARKS} from "./aids.js";
import {Bench} from "./bench.js";
import {connect, send} from "./connection.js";
import {Film} from "./film.js";
import {Imports} from "./imports.js";
import {Ink} from "./ink.js";
import {releaseKeys, takeKeys} from "./keys.js";
import {Panel} from "./panel.js";
import {byId, decimals, short} from "./parts.js";
import {Plots} from "./plots.js";
import {Puller} from "./pull.js";
import {Replay} from "./replay.js";
import {showTime} from "./report.js";
import {addSplitter} from "./split.js";
import {Stage} from "./stage.js";
import {Tree} from "./tree.js";

const HINTS = {
  run: "Shift or Alt and drag: pull a body; while paused, put it elsewhere. Click a name: "
    + "its plot and parameters. Keys go to controllers.",
  replay: "Click a name: plot it. Drag in a plot: zoom; double click: back.",
  still: "Nothing runs: the sliders move the joints.",
};

const KEYS = " With Alt: P pauses, S steps, R resets, F follows; without it where no"
  + " controller takes keys.";

const ENDS = {
  over: "the run is over; go on, or a slider, goes on with it",
  failed: "the run has failed, at the moment that is shown",
  ended: "the run is over",
};

const filmed = location.hash === "#film";
document.body.classList.toggle("film", filmed);
addSplitter();
byId("motors").open = !document.body.classList.contains("report");
const plots = new Plots(byId("plots"));
const bench = new Bench();
const panel = new Panel(byId("robots"), plots, bench);
const stage = new Stage(byId("view"));
const imports = new Imports(stage);
const ink = new Ink(stage);
const puller = new Puller(stage);
const tree = new Tree(stage);
const replay = new Replay(showFrame, (...change) => stage.change(...change));
// For who looks with the browser's own tools, and for tests.
window.webmotor = {stage, panel, replay, tree, ink};
let about = null, isSettled = false, latest = null, state = "", rate = 1;

connect({told, frame, lost, samples: numbers => panel.keep(numbers),
  picture: data => panel.showPicture(data), scene: bytes => stage.handle(bytes)});

function lost() {
  byId("notice").textContent = "the run has ended, or its server is gone";
}

function frame(data) {
  if (about && about.kind === "replay") replay.add(data);
  else latest = data;
}

function told(message) {
  if (message.motors) begin(message);
  for (const change of message.changed || []) stage.change(...change);
  if (message.bench) bench.show(message.bench);
  if (message.offers) panel.rows[message.offers[0]].offer(message.offers[1]);
  if (message.ink) ink.take(message.ink);
  if (message.imported) imports.show(message.imported);
  if (message.values) panel.showValues(message.values, message.at);
  for (const [kind, text] of message.said || []) say(kind, text);
  if (message.complete) settle(message);
  else if (message.state) showState(message);
}

// Everything is new: a page that connects, or a run that starts again.
function begin(message) {
  about = message;
  latest = null;
  isSettled = false;
  ink.take([]);
  document.title = about.title ? `${about.title} - webmotor` : "webmotor";
  byId("title").textContent = about.title || "webmotor";
  byId("rate").value = rate = about.rate;
  // A robot that may go anywhere would leave the view.
  byId("follow").checked = about.followed.length > 0;
  byId("follow").parentElement.hidden = !about.followed.length;
  byId("said").replaceChildren();
  takeKeys(about.kind !== "run" || about.takes_keys);
  byId("hint").textContent = HINTS[about.kind] + (about.kind === "run" ? KEYS : "");
  stage.canvas.role = "img";
  stage.canvas.ariaLabel = `3D view of ${about.title || "the robots"}`;
  byId("run-buttons").hidden = about.kind === "still";
  byId("rate-label").hidden = about.kind === "still";
  byId("time").hidden = about.kind === "still";
  byId("moment").hidden = about.kind !== "replay";
  byId("scenario").hidden = !about.text || document.body.classList.contains("report");
  byId("text").textContent = about.text || "";
  showSaturated();
  byId("step").hidden = about.kind !== "run";
  byId("reset").hidden = byId("stop").hidden = !about.can_end;
  byId("forces-label").hidden = about.kind !== "run";
  byId("notice").textContent = "loading the scene";
  for (const mark of about.show || [])
    if (MARKS[mark]) byId(MARKS[mark]).checked = true;
  stage.begin(about);
  panel.begin(about);
  replay.begin(about);
}

// Below the time of a run that is over: when motors are at their limits.
function showSaturated() {
  const box = byId("saturated");
  box.hidden = about.kind !== "replay";
  box.replaceChildren(...(about.saturated || []).map(([from, to]) => {
    const bar = document.createElement("i");
    bar.style.left = `${100 * from / about.duration}%`;
    bar.style.width = `max(2px, ${100 * (to - from) / about.duration}%)`;
    return bar;
  }));
}

// Meshes are parsed beside the page: wait until no more come.
function settle(message) {
  let before = -1, calm = 0;
  const look = () => {
    const count = stage.size();
    calm = count === before ? calm + 1 : 0;
    before = count;
    if (calm < 3) return setTimeout(look, 100);
    stage.dress();
    isSettled = true;
    stage.lookFirst();
    tree.begin(about.tree, event => puller.pick(event));
    showState(message);
    if (filmed) window.webmotor.film = new Film(stage, replay);
    else if (about.kind === "replay") replay.start();
    send({loaded: true});
  };
  look();
}

function showState(message) {
  state = message.state || "";
  byId("failure").textContent = message.failure || "";
  byId("pause").textContent = state === "" || state === "runs" ? "pause" : "go on";
  byId("pause").disabled = byId("step").disabled = state === "failed" || state === "ended";
  byId("notice").textContent = ENDS[state] || "";
}

function say(kind, text) {
  const box = byId("said"), line = document.createElement("div");
  const isAtEnd = box.scrollTop + box.clientHeight > box.scrollHeight - 4;
  line.className = kind;
  line.textContent = text;
  box.append(line);
  while (box.children.length > 500) box.firstChild.remove();
  if (isAtEnd) box.scrollTop = box.scrollHeight;
}

function showFrame(data) {
  const head = new DataView(data);
  const time = head.getFloat64(4, true), paths = head.getUint32(12, true);
  const numbersOfAll = panel.size * about.motors.length;
  const poses = new Float32Array(data, 20, 16 * paths);
  const numbers = new Float32Array(data, 20 + 64 * paths, numbersOfAll);
  stage.pose(poses);
  if (isSettled) ink.show(time);
  stage.showForces(new Float32Array(data, 20 + 64 * paths + 4 * numbersOfAll));
  panel.show(time, numbers);
  tree.aids.showEfforts(numbers, panel.size);
  showTime(time);
  const digits = Math.max(2, decimals(about.duration || 1) - 1);
  byId("time").textContent = about.duration
    ? `${time.toFixed(digits)} of ${about.duration.toFixed(digits) * 1} s`
    : `${time.toFixed(digits)} s`;
  const force = head.getFloat32(16, true);
  byId("pull").textContent = puller.holds && state !== "paused" ? `${short(force)} N` : "";
}

for (const name of ["pause", "step", "reset", "stop"])
  byId(name).onclick = () => {
    if (about.kind === "replay") replay.press(name);
    else send({run: name});
  };
byId("rate").onchange = event => {
  const asked = event.target.valueAsNumber;
  // What is no rate is not taken, and not shown either.
  if (asked >= 0) rate = Math.min(asked, 100);
  event.target.value = rate;
  if (about.kind === "replay") replay.rate = rate;
  else send({rate});
};
window.addEventListener("blur", releaseKeys);

function animate() {
  if (latest && about) {
    const data = latest;
    latest = null;
    showFrame(data);
    send({drawn: true});
  }
  replay.play();
  stage.render();
  requestAnimationFrame(animate);
}

animate();
