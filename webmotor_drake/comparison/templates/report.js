// Draws the pictures of a report anew, with uPlot, when they come into view: hover for
// values, drag to zoom (all pictures of a motor together), double-click for all again.
(() => {
  const report = document.querySelector(".webmotor-report");
  const charts = new Map();
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
      if (line.name.startsWith("_")) return;
      const values = chart.data[i + 1];
      const value = values[nearest(values, index)];
      if (value != null) told.push(`${line.name} ${number(value)}`);
    });
    caption.textContent = `${number(chart.data[0][index])}${about.unit}: ${told.join(" · ")}`;
  }

  function draw(figure) {
    const about = JSON.parse(figure.querySelector("script").textContent);
    const svg = figure.querySelector("svg");
    const caption = figure.querySelector(".values");
    const lines = about.lines.filter(line => line.x.length);
    if (!lines.length) return;
    const box = svg.getBoundingClientRect();
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
      width: box.width, height: box.height,
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
        points: { show: false }, paths: line.steps ? stepped : undefined }))],
      hooks: { setCursor: [u => say(u, about, lines, caption)] },
    }, uPlot.join(lines.map(line => [line.x, line.y])), figure);
    chart.setScale("x", { min: 0, max: about.end });
    figure.classList.add("drawn");
    charts.set(figure, chart);
  }

  const watch = new IntersectionObserver(entries => entries.forEach(entry => {
    if (entry.isIntersecting && !charts.has(entry.target)) draw(entry.target);
  }), { rootMargin: "300px" });
  report.querySelectorAll("figure.chart").forEach(figure => watch.observe(figure));

  const redraw = () => charts.forEach(chart => chart.redraw(false, true));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  addEventListener("resize", () => charts.forEach((chart, figure) => chart.setSize(
    { width: figure.clientWidth, height: chart.height })));

  // A link of the contents opens what it leads to.
  const open = () => {
    document.getElementById(location.hash.slice(1))?.querySelector("details")?.setAttribute("open", "");
  };
  addEventListener("hashchange", open);
  open();
})();
