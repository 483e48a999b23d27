// Plots over time: of a run that goes on its last 10 s, of one that is over all of it.
import {element} from "./parts.js";

const KEPT = 10;  // s
const COLORS = matchMedia("(prefers-color-scheme: dark)").matches
  ? ["#56b4e9", "#2fc79a", "#e69f00", "#e39cc4", "#9fd0f2", "#c9c95a"]
  : ["#0072b2", "#009e73", "#e69f00", "#cc79a7", "#56b4e9", "#999933"];
const WIDE = 48;  // pixels of an axis

export class Plots {
  constructor(box) {
    this.box = box;
    new ResizeObserver(() => this.fit()).observe(box);
  }

  begin(slides) {
    this.box.replaceChildren();
    this.slides = slides;
    this.traces = [];
  }

  trace(title, series) {
    const made = new Trace(this, title, series);
    this.traces.push(made);
    return made;
  }

  show(time) {
    this.now = time;
    for (const trace of this.traces) if (trace.plot) trace.draw();
  }

  fit() {
    for (const trace of this.traces || [])
      if (trace.plot) trace.plot.setSize({width: this.box.clientWidth, height: 170});
  }
}

class Trace {
  constructor(plots, title, series) {
    Object.assign(this, {plots, title, series, plot: null});
    this.samples = [[], ...series.map(() => [])];
  }

  // Takes a sample; what is older than 10 s goes while a run goes on.
  add(time, values) {
    const times = this.samples[0];
    if (times.length && time < times[times.length - 1]) this.clear();
    if (times.length && time === times[times.length - 1]) return;
    times.push(time);
    values.forEach(
      (value, i) => this.samples[i + 1].push(Number.isFinite(value) ? value : null));
    if (!this.plots.slides) return;
    let old = 0;
    while (times[old] < time - KEPT) old += 1;
    if (old) for (const kept of this.samples) kept.splice(0, old);
  }

  clear() { for (const kept of this.samples) kept.splice(0); }

  draw() {
    if (this.plots.slides) this.plot.setData(this.samples);
    else this.plot.redraw(false, false);
  }

  // Opens or closes the plot; returns whether it is open.
  toggle() {
    if (this.plot) {
      this.plot.destroy();
      this.plot = null;
      this.frame.remove();
      return false;
    }
    this.frame = element("div", "plot");
    this.plots.box.append(this.frame);
    this.plot = new uPlot(this.options(), this.samples, this.frame);
    this.frame.scrollIntoView({block: "nearest"});
    return true;
  }

  options() {
    const units = [...new Set(this.series.map(s => s.unit))];
    const axes = units.map((unit, i) => ({scale: `u${unit}`, label: unit, labelSize: 14,
      size: WIDE, gap: 2, side: i ? 1 : 3, stroke: this.strokeOf(unit), grid: {show: !i},
      ticks: {size: 4},
      values: (_, places) => ticks(places)}));
    return {
      width: this.plots.box.clientWidth, height: 170, title: this.title,
      scales: {x: {time: false}},
      axes: [{label: "s", labelSize: 14, size: 26, stroke: "#888"}, ...axes],
      series: [{label: "s"}, ...this.series.map(s => ({label: s.label,
        stroke: COLORS[s.color % COLORS.length], scale: `u${s.unit}`, dash: s.dash,
        show: s.show !== false, width: 1.5}))],
      legend: {live: false,  // browsers draw a dashed box of this size solid
        markers: {dash: (plot, i) => plot.series[i].dash ? "dotted" : "solid"}},
      hooks: {draw: [plot => this.drawNow(plot)]},
    };
  }

  strokeOf(unit) {
    return COLORS[this.series.find(s => s.unit === unit).color % COLORS.length];
  }

  // A line where a run that is over is now.
  drawNow(plot) {
    if (this.plots.slides || this.plots.now === undefined) return;
    const x = plot.valToPos(this.plots.now, "x", true), area = plot.bbox;
    if (x < area.left || x > area.left + area.width) return;
    plot.ctx.fillStyle = "#d62728";
    plot.ctx.fillRect(x - 1, area.top, 2, area.height);
  }
}

// Enough digits to tell the ticks apart.
function ticks(places) {
  const step = Math.abs(places[1] - places[0]) || 1;
  const largest = Math.max(...places.map(Math.abs));
  if (largest < 1e-3 || largest >= 1e5)
    return places.map(place => place ? Number(place.toPrecision(3)).toExponential() : "0");
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return places.map(place => place.toFixed(digits));
}
