// The panel: a folder per robot, a row per motor, the sensors' values and pictures.
import {send} from "./connection.js";
import {byId, element, folder, short} from "./parts.js";

const MODES = ["position", "velocity", "effort"];
export const NUMBERS = 8;  // of a motor in a frame: see page_motors.py

export class Panel {
  constructor(box, plots) {
    this.box = box;
    this.plots = plots;
    this.plotted = new Set();  // stay so when a run starts again
  }

  begin(about) {
    this.time = undefined;
    this.box.replaceChildren();
    this.plots.begin(about.kind === "run");
    const robots = new Set(about.motors.map(motor => motor.robot));
    this.titled = ({robot, name}) => robots.size > 1 ? `${robot}/${name}` : name;
    this.drives = about.kind !== "replay";
    this.rows = about.motors.map((motor, index) => this.addMotor(motor, index));
    this.sensors = (about.sensors || []).map(sensor => this.addSensor(sensor));
  }

  addMotor(motor, index) {
    const row = element("div", motor.offers.length > 1 ? "motor" : "motor joint");
    row.dataset.motor = `${motor.robot}/${motor.name}`;
    row.innerHTML = `<span class=name></span><span class=track><input type=range><i></i></span>
      <span class=value></span><button class=mode></button>
      <span class=effort><i></i></span><span class=speed></span>`;
    const part = name => row.querySelector(name);
    part(".name").textContent = motor.name;
    if (motor.model) part(".name").append(" ", element("small", "model", motor.model));
    const slider = part("input");
    slider.ariaLabel = motor.name;
    slider.disabled = part(".mode").disabled = !this.drives;
    slider.oninput = () => send({set: [index, Number(slider.value)]});
    part(".mode").onclick = () => send({mode: index});
    const made = {row, slider, motor, mode: -1, mark: part(".track i"), value: part(".value"),
      button: part(".mode"), effort: part(".effort"), bar: part(".effort i"),
      speed: part(".speed")};
    if (motor.offers.length > 1) {
      const [place, speed, load] = motor.offers.map(offer => offer.unit);
      made.trace = this.plots.trace(this.titled(motor), [
        {label: "position", unit: place, color: 0},
        {label: "target", unit: place, color: 0, dash: [4, 3]},
        {label: "velocity", unit: speed, color: 1, show: false},
        {label: "effort", unit: load, color: 2},
        ...motor.winding.map((quantity, i) => ({...quantity, color: 3 + i, show: false}))]);
      const kind = motor.model ? ` (${motor.model})` : "";
      part(".name").title = `${motor.name}${kind}: click to plot`;
      part(".name").onclick = () => this.plot(made, row.dataset.motor);
      if (this.plotted.has(row.dataset.motor)) part(".name").onclick();
    } else part(".name").title = motor.name;
    folder(this.box, motor.robot).append(row);
    return made;
  }

  // Opens or closes the plot of a row; that of a sensor without a value yet opens later.
  plot(made, key) {
    const isOpen = made.trace ? made.trace.toggle() : !this.plotted.has(key);
    made.row.classList.toggle("plotted", isOpen);
    if (isOpen) this.plotted.add(key);
    else this.plotted.delete(key);
  }

  addSensor(sensor) {
    const own = folder(folder(this.box, sensor.robot), "sensors");
    const row = element("div", "sensor off");
    row.dataset.sensor = `${sensor.robot}/${sensor.name}`;
    const name = element("span", "name", sensor.name);
    name.title = `${sensor.name}: ${sensor.type}`;
    row.append(name, element("span", "kind", sensor.type), element("span", "value", "off"));
    own.append(row);
    const made = {row, name, sensor, trace: null, canvas: null};
    name.onclick = () => { if (!made.canvas) this.plot(made, row.dataset.sensor); };
    row.classList.toggle("plotted", this.plotted.has(row.dataset.sensor));
    return made;
  }

  show(time, numbers) {
    this.time = time;
    this.rows.forEach((made, k) => {
      showMotor(made, numbers.subarray(NUMBERS * k, NUMBERS * (k + 1)));
    });
    this.plots.show(time);
  }

  // Keeps samples for plots: of each the time, and the numbers of all motors.
  keep(samples) {
    const size = 1 + NUMBERS * this.rows.length;
    for (let at = 0; at < samples.length; at += size)
      this.rows.forEach((made, k) => {
        const [position, velocity, effort, , commanded, mode] =
          samples.subarray(at + 1 + NUMBERS * k);
        const target = mode === 0 ? commanded * made.motor.multiplier : null;
        const winding = made.motor.winding.map(
          ({at: place}) => samples[at + 1 + NUMBERS * k + place]);
        made.trace.add(samples[at], [position, target, velocity, effort, ...winding]);
      });
  }

  // Takes the signals of a run that is over: times, and a list per motor and signal.
  fill({time, motors}) {
    motors.forEach((columns, k) => this.rows[k].trace.fill(time, columns));
  }

  // Shows what sensors measured at a time; keeps it for plots.
  showValues(values, time) {
    values.forEach((numbers, k) => {
      const made = this.sensors[k], row = made.row;
      if (made.canvas) return;
      row.classList.toggle("off", numbers === null);
      const text = numbers === null ? "off"
        : numbers.length > 6 ? `${numbers.length} numbers` : numbers.map(short).join("  ");
      row.querySelector(".value").textContent = text;
      if (numbers === null || numbers.length > 6) return;
      if (!made.trace) {
        made.trace = this.plots.trace(this.titled(made.sensor), numbers.map((_, i) => ({
          label: numbers.length > 1 ? "xyzwuv"[i] : made.sensor.type, unit: "", color: i})));
        if (this.plotted.has(row.dataset.sensor)) this.plot(made, row.dataset.sensor);
      }
      made.trace.add(time, numbers);
    });
  }

  showPicture(data) {
    const head = new DataView(data);
    const made = this.sensors[head.getUint16(2, true)];
    const width = head.getUint32(4, true), height = head.getUint32(8, true);
    if (!made.canvas) {
      made.canvas = element("canvas");
      made.row.append(made.canvas);
      made.row.classList.add("seen");
      made.row.classList.remove("off");
      made.row.querySelector(".value").textContent = "";
    }
    Object.assign(made.canvas, {width, height});
    const pixels = new Uint8ClampedArray(data, 12, 4 * width * height);
    made.canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  }
}

function showMotor(made, [position, velocity, effort, limit, commanded, mode]) {
  const offers = made.motor.offers, offer = offers[mode];
  if (mode !== made.mode) {
    made.mode = mode;
    Object.assign(made.slider, {min: offer.low, max: offer.high, step: offer.step});
    made.button.textContent = ["pos", "vel", "eff"][mode];
    made.button.title = `${MODES[mode]} control; click to change`;
  }
  if (document.activeElement !== made.slider || !made.slider.matches(":active"))
    made.slider.value = commanded;
  made.value.textContent = `${short(position)} ${offers[0].unit}`;
  if (offers.length === 1) return;
  // A slider is before the multiplier, as commands are; what is measured is after it.
  const {multiplier} = made.motor;
  const measured = [position / multiplier, velocity / multiplier, effort / multiplier][mode];
  const share = (measured - offer.low) / (offer.high - offer.low);
  made.mark.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  made.speed.textContent = `${short(velocity)} ${offers[1].unit}`;
  const load = limit > 0 && isFinite(limit) ? Math.min(Math.abs(effort) / limit, 1) : 0;
  made.effort.classList.toggle("full", load > 1 - 1e-6);
  made.effort.title = isFinite(limit) ? `effort ${short(effort)} of ${short(limit)} `
    + offers[2].unit : `effort ${short(effort)} ${offers[2].unit}, without a limit`;
  made.bar.style.left = `${effort < 0 ? 50 - 50 * load : 50}%`;
  made.bar.style.width = `${50 * load}%`;
}
