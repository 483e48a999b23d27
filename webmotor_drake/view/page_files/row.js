// A motor's row: what is commanded -> what is measured, and the effort of its limit.
import {send} from "./connection.js";
import {decimals, element, fixed} from "./parts.js";

const MODES = ["position", "velocity", "effort"];

export class Row {
  constructor(motor, index, drives, ghosts) {
    Object.assign(this, {motor, index, ghosts, mode: -1, typed: false});
    this.isMotor = motor.offers.length > 1;
    this.row = element("div", this.isMotor ? "motor" : "motor joint");
    this.row.dataset.motor = `${motor.robot}/${motor.name}`;
    this.name = element("button", "name", motor.name);
    this.name.type = "button";
    const factor = Number(motor.multiplier.toPrecision(4));
    for (const about of [motor.model, factor === 1 ? "" : `joint = ${factor} × command`])
      if (about) this.name.append(" ", element("small", "model", about));
    this.slider = element("input");
    this.slider.type = "range";
    this.slider.ariaLabel = `${motor.name}: slider`;
    this.target = element("input", "target");
    this.target.type = "number";
    this.target.ariaLabel = `${motor.name}: target`;
    this.value = element("span", "value");
    this.button = element("button", "mode", "pos");
    this.mark = element("i");
    this.effort = element("span", "effort");
    this.bar = element("i");
    this.load = element("b");
    const track = element("span", "track");
    track.append(this.slider, this.mark);
    this.effort.append(this.bar, this.load);
    this.row.append(this.name, track, this.target, this.value, this.button, this.effort);
    if (ghosts.length) {
      this.beside = element("span", "beside");
      this.row.append(this.beside);
    }
    this.slider.disabled = this.target.disabled = this.button.disabled = !drives;
    this.listen();
  }

  listen() {
    this.slider.oninput = () => send({set: [this.index, Number(this.slider.value)]});
    this.button.onclick = () => send({mode: this.index});
    this.target.oninput = () => { this.typed = true; };
    this.target.onchange = () => {
      const value = this.target.valueAsNumber;
      if (isFinite(value)) send({set: [this.index, value]});
      this.typed = false;
    };
    this.target.onblur = () => { this.typed = false; };
    this.target.onkeydown = event => { if (event.key === "Escape") this.target.blur(); };
  }

  // Takes what the motor can be commanded now.
  offer(offers) {
    this.motor.offers = offers;
    this.mode = -1;
  }

  show([position, velocity, effort, limit, commanded, mode, , , ...ghosts]) {
    const {offers, multiplier} = this.motor, offer = offers[mode];
    if (mode !== this.mode) {
      this.mode = mode;
      Object.assign(this.slider, {min: offer.low, max: offer.high, step: offer.step});
      Object.assign(this.target, {min: offer.low, max: offer.high, step: offer.step});
      this.target.title = `${MODES[mode]}, ${offer.unit}`;
      this.button.textContent = ["pos", "vel", "eff"][mode];
      this.button.title = `${MODES[mode]} control; click to change`;
      this.digits = offers.map(({low, high}) => decimals(high - low));
    }
    if (document.activeElement !== this.slider || !this.slider.matches(":active"))
      this.slider.value = commanded;
    if (!this.typed) this.target.value = fixed(commanded, this.digits[mode]);
    const measured = [position, velocity, effort][mode];
    this.value.textContent = `${fixed(measured, this.digits[mode])} ${offer.unit}`;
    if (!this.isMotor) return;
    // A slider is before the multiplier, as commands are; what is measured is after it.
    const share = (measured / multiplier - offer.low) / (offer.high - offer.low);
    this.mark.style.left = `${100 * Math.min(Math.max(share, 0), 1)}%`;
    this.showEffort(effort, limit);
    if (this.beside) this.showGhosts(ghosts);
  }

  // Where a ghost's motor is, how far from this one, and how far it was at most.
  showGhosts(numbers) {
    const digits = this.digits[0], {unit} = this.motor.offers[0];
    this.beside.textContent = this.ghosts.map((name, g) => {
      const [place, , , apart, most] = numbers.slice(5 * g);
      return `${this.ghosts.length > 1 ? name : "ghost"} ${fixed(place, digits)} ${unit}, `
        + `${fixed(apart, digits)} apart, ${fixed(most, digits)} at most`;
    }).join("; ");
  }

  showEffort(effort, limit) {
    const {unit} = this.motor.offers[2], digits = this.digits[2];
    const load = limit > 0 && isFinite(limit) ? Math.min(Math.abs(effort) / limit, 1) : 0;
    this.effort.classList.toggle("full", load > 1 - 1e-6);
    const most = isFinite(limit) ? ` of ${fixed(limit, digits)}` : "";
    this.load.textContent = `${fixed(effort, digits)}${most} ${unit}`;
    this.effort.title = `effort ${this.load.textContent}`;
    this.bar.style.left = `${effort < 0 ? 50 - 50 * load : 50}%`;
    this.bar.style.width = `${50 * load}%`;
  }
}
