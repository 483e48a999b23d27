// The pictures of a report, drawn with uPlot when they come into view: hover for values,
// drag to zoom (all pictures of a section together), double-click for all again.
const report = document.querySelector(".webmotor-report");
const charts = new Map();
let now = null;  // the time that the motion beside it is at, s

// Has the pictures over time show where the motion is.
export function showTime(time) {
  if (time === now || !charts.size) return;
  now = time;
  for (const chart of charts.values()) chart.redraw(false, false);
}

const css = name => getComputedStyle(report).getPropertyValue(name).trim();
const color = text => {
  const variable = /^var\((.*)\)$/.exec(text);
  return variable ? css(variable[1]) : getComputedStyle(report).color;
};
const number = value => Number(value.toPrecision(5)).toString();

// Powers of ten; of a range without two of them also what lies between.
function logTick(value, range) {
  const mantissa = Number((value / 10 ** Math.floor(Math.log10(value) + 1e-9)).toPrecision(2));
  if (range < 1e3) return [1, 2, 5].includes(mantissa) ? number(value) : "";
  return mantissa === 1 ? value.toExponential(0) : "";
}

// The nearest place at which a line has a value: they don't share all times.
function nearest(values, index) {
  for (let d = 0; d < values.length; d++) {
    if (values[index - d] != null) return index - d;
    if (values[index + d] != null) return index + d;
  }
  return index;
}

function say(chart, about, lines, caption) {
  const index = chart.cursor.idx;
  if (index == null || chart.cursor.left < 0) { caption.textContent = ""; return; }
  const told = [];
  lines.forEach((line, i) => {
    if (!line.name) return;
    const values = chart.data[i + 1];
    const value = values[nearest(values, index)];
    if (value != null) told.push(`${line.name} ${number(value)}`);
  });
  caption.textContent = `${number(chart.data[0][index])}${about.unit}: ${told.join(" · ")}`;
}

// Shades parts, such as those at a motor's limits, beneath the curves.
function shade(chart, bands) {
  const { left, width, top, height } = chart.bbox;
  for (const [start, end, name] of bands) {
    const [from, to] = [start, end].map(x =>
      Math.min(Math.max(chart.valToPos(x, "x", true), left), left + width));
    chart.ctx.fillStyle = color(name);
    chart.ctx.fillRect(from, top, Math.max(to - from, 1), height);
  }
}

function drawNow(chart, about) {
  if (now === null || about.label !== "time (s)") return;
  const x = chart.valToPos(now, "x", true), area = chart.bbox;
  if (x < area.left || x > area.left + area.width) return;
  chart.ctx.fillStyle = css("--bad");
  chart.ctx.fillRect(x - 1, area.top, 2, area.height);
}

function draw(figure) {
  const about = JSON.parse(figure.querySelector("script").textContent);
  const caption = figure.querySelector(".values");
  const lines = about.lines.filter(line => line.x.length);
  if (!lines.length) return;
  const [low, high] = about.range;
  const axis = { stroke: () => color("currentColor"), grid: { stroke: () => css("--grid"), width: 1 },
                 ticks: { stroke: () => css("--grid"), width: 1 } };
  const whole = chart => chart.scales.x.min <= 0 && chart.scales.x.max >= about.end;
  const ends = (chart, least, most) => {
    if (least == null || whole(chart)) return [low, high];
    if (about.log) return [Math.max(least, low), most];
    const margin = 0.08 * (most - least) || 1e-9;
    return [least - margin, most + margin];
  };
  const stepped = uPlot.paths.stepped({ align: -1 });
  const chart = new uPlot({
    width: figure.clientWidth, height: Math.min(0.56 * figure.clientWidth, 260),
    legend: { show: false },
    cursor: { sync: { key: figure.closest("section").id }, drag: { x: true, y: false },
              points: { show: false } },
    scales: { x: { time: false, range: (u, a, b) => [a, b] },
              y: { distr: about.log ? 3 : 1, range: ends } },
    axes: [{ ...axis, label: about.label, labelSize: 22, labelFont: "12px system-ui" },
           { ...axis, size: 64,
      values: (u, ticks) => ticks.map(t => t == null ? "" :
        about.log ? logTick(t, high / low) : number(t)) }],
    series: [{}, ...lines.map(line => ({
      stroke: () => color(line.color), width: line.width * 1.3, alpha: line.opacity,
      dash: line.dash.map(length => length * 1.3), spanGaps: true,
      points: { show: line.is_dotted, size: 3 },
      paths: line.is_dotted ? () => null : line.is_stepped ? stepped : undefined }))],
    hooks: { drawClear: [u => shade(u, about.bands)],
              setCursor: [u => say(u, about, lines, caption)], draw: [u => drawNow(u, about)] },
  }, uPlot.join(lines.map(line => [line.x, line.y])), figure);
  chart.setScale("x", { min: 0, max: about.end });
  figure.classList.add("drawn");
  charts.set(figure, chart);
}

const watch = new IntersectionObserver(entries => entries.forEach(entry => {
  if (entry.isIntersecting && entry.target.clientWidth && !charts.has(entry.target))
    draw(entry.target);
}), { rootMargin: "300px", root: document.querySelector("body.report:not(.alone) > #panel") });
for (const figure of report?.querySelectorAll("figure.chart") || []) watch.observe(figure);

const redraw = () => charts.forEach(chart => chart.redraw(false, true));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
// All of them, for paper; those far down were never in view.
addEventListener("beforeprint", () => report?.querySelectorAll("figure.chart").forEach(figure => {
  if (figure.clientWidth && !charts.has(figure)) draw(figure);
}));
if (report) new ResizeObserver(() => charts.forEach((chart, figure) => {
  if (figure.clientWidth) chart.setSize({ width: figure.clientWidth, height: chart.height });
})).observe(report);

// What sticks to the top stands below the page's own header.
const header = document.querySelector("#panel > header");
if (report && header) new ResizeObserver(() => report.style.setProperty(
  "--header", `${Math.max(header.offsetHeight - 7, 0)}px`)).observe(header);

// A link of the contents opens what it leads to.
const open = () => {
  document.getElementById(location.hash.slice(1))?.querySelector("details")?.setAttribute("open", "");
};
addEventListener("hashchange", open);
open();
