// The panel: a folder per robot, a row per motor, the sensors' values and pictures.
import {byId, element, folder, short} from "./parts.js";
import {Row} from "./row.js";

const FEW = 4;  // motors that need no filter
const MANY = 14;  // motors; more have one line each
const NUMBERS = 8, OF_GHOST = 5;  // of a motor in a frame: page_motors.py, beside.py

export class Panel {
  constructor(box, plots, bench) {
    Object.assign(this, {box, plots, bench});
    this.plotted = new Set();  // stay so when a run starts again
  }

  begin(about) {
    this.time = undefined;
    this.ghosts = about.beside || [];
    this.size = NUMBERS + OF_GHOST * this.ghosts.length;
    this.box.replaceChildren();
    this.plots.begin(about.kind === "run");
    const robots = new Set(about.motors.map(motor => motor.robot));
    this.titled = ({robot, name}) => robots.size > 1 ? `${robot}/${name}` : name;
    this.drives = about.kind !== "replay";
    this.bench.begin(about.motors);
    this.box.classList.toggle("compact", about.motors.length > MANY);
    byId("filter").hidden = about.motors.length < FEW;
    byId("filter").value = "";
    byId("filter").oninput = event => this.filter(event.target.value);
    this.rows = about.motors.map((motor, index) => this.addMotor(motor, index));
    this.sensors = (about.sensors || []).map(sensor => this.addSensor(sensor));
  }

  addMotor(motor, index) {
    const made = new Row(motor, index, this.drives, this.ghosts);
    if (made.isMotor) {
      const [place, speed, load] = motor.offers.map(offer => offer.unit);
      made.trace = this.plots.trace(this.titled(motor), [
        {label: "position", unit: place, color: 0},
        {label: "target", unit: place, color: 0, dash: [4, 3]},
        {label: "velocity", unit: speed, color: 1, show: false},
        {label: "effort", unit: load, color: 2},
        ...motor.winding.map((quantity, i) => ({...quantity, color: 3 + i, show: false})),
        ...this.ghosts.flatMap(ghost => [
          {label: `position, ${ghost}`, unit: place, color: 0, dash: [2, 2]},
          {label: `velocity, ${ghost}`, unit: speed, color: 1, dash: [2, 2], show: false},
          {label: `effort, ${ghost}`, unit: load, color: 2, dash: [2, 2]}])]);
      const kind = motor.model ? ` (${motor.model})` : "";
      made.name.title = `${motor.name}${kind}: its plot and its parameters`;
      made.name.onclick = () => this.open(made);
    } else Object.assign(made.name, {title: motor.name, disabled: true});
    folder(this.box, motor.robot).append(made.row);
    if (this.plotted.has(made.row.dataset.motor)) this.open(made);
    return made;
  }

  open(made) {
    this.plot(made, made.row.dataset.motor);
    this.bench.toggle(made);
  }

  // Shows the motors and sensors that have a text in their names.
  filter(text) {
    const wanted = text.toLowerCase();
    for (const {row} of [...this.rows, ...this.sensors]) {
      const name = row.dataset.motor || row.dataset.sensor;
      row.classList.toggle("filtered", !name.toLowerCase().includes(wanted));
    }
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
    const name = element("button", "name", sensor.name);
    name.type = "button";
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
      made.show(numbers.subarray(this.size * k, this.size * (k + 1)));
    });
    this.plots.show(time);
  }

  // Keeps samples for plots: of each the time, and the numbers of all motors.
  keep(samples) {
    const size = 1 + this.size * this.rows.length;
    for (let at = 0; at < samples.length; at += size)
      this.rows.forEach((made, k) => {
        const [position, velocity, effort, , commanded, mode] =
          samples.subarray(at + 1 + this.size * k);
        const target = mode === 0 ? commanded * made.motor.multiplier : null;
        const winding = made.motor.winding.map(
          ({at: place}) => samples[at + 1 + this.size * k + place]);
        const ghosts = this.ghosts.flatMap((_, g) => {
          const start = at + 1 + this.size * k + NUMBERS + OF_GHOST * g;
          return [...samples.subarray(start, start + 3)];
        });
        made.trace.add(samples[at], [position, target, velocity, effort, ...winding, ...ghosts]);
      });
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
