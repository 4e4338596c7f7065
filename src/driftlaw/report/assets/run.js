const n = unpack(DATA.n).flat;
const when = DATA.times || n;
const X = unpack(DATA.x), Q = unpack(DATA.quantiles), M = n.length;
const K = unpack(DATA.k), MEMORY = unpack(DATA.memory), SCORE = unpack(DATA.score).flat;
const CENTERS = unpack(DATA.centers), DRAWS = unpack(DATA.draws);
const timeTitle = DATA.times ? "" : "observation";
const column = (i) => Array.from({ length: M }, (_, t) => X.at(t, i));
const quantile = (l, i) => Array.from({ length: M }, (_, t) => Q.at(t, l, i));
const level = (q) => DATA.levels.findIndex((v) => Math.abs(v - q) < 1e-9);
const eventTime = (e) => (DATA.times ? e[1] : e[0]);

const TELLING = 5; // first observations, before which nothing was known
const bandOf = (l, i) => quantile(l, i).map((v, t) => (n[t] <= TELLING ? null : v));

function groupRange(centers, i) { // where the groups are, but for a few far from all others
  const order = centers.y.map((y, k) => [y, centers.w[k]]).sort((a, b) => a[0] - b[0]);
  const whole = order.reduce((sum, p) => sum + p[1], 0);
  const at = (q) => { let sum = 0; return order.find((p) => (sum += p[1]) >= q * whole)[0]; };
  const bottom = at(0.005), top = at(0.995), usual = top - bottom;
  const near = order.map((p) => p[0]).filter((y) => y >= bottom - usual && y <= top + usual);
  const low = near[0], high = near[near.length - 1], lower = quantile(level(0.25), i);
  // not narrower than half of the values are usually spread: less is the groups' own noise
  const spreads = quantile(level(0.75), i).map((v, t) => v - lower[t]).sort((a, b) => a - b);
  const lack = Math.max(0, spreads[M >> 1] - (high - low));
  const room = lack / 2 + 0.08 * (high - low + lack || 1);
  return [low - room, high + room];
}
function marks() { // the largest changes as numbered lines, every signal as a tick at the top
  const t = theme(), tick = { type: "line", xref: "x", yref: "paper" };
  const ticks = DATA.events.filter((e) => e[4]).map((e) => ({ ...tick, x0: eventTime(e), x1: eventTime(e),
    y0: 0.965, y1: 1, line: { color: t.alarm, width: 1 } }));
  const place = (e) => (DATA.times ? e[1] : e[0]);
  const lines = DATA.largest.map((e) => ({ ...tick, x0: place(e), x1: place(e), y0: 0, y1: 1,
    line: { color: t.alarm, width: 1.2, dash: "dot" } }));
  const numbers = DATA.largest.map((e, k) => ({ x: place(e), xref: "x", y: 0.955, yref: "paper",
    yanchor: "top", text: String(k + 1), showarrow: false, font: { size: 11, color: t.alarm },
    bgcolor: t.page, opacity: 0.9, borderpad: 1 }));
  return { shapes: [...ticks, ...lines], annotations: numbers };
}
let isWhole = false; // whether the first chart shows all, or where values usually are
function turnFan(i) { // a double click: to all of it, and from there back
  const { xaxis, yaxis } = document.getElementById("fan")._fullLayout;
  isWhole = !(isWhole && xaxis.autorange && yaxis.autorange);
  drawFan(i);
}
function beyond(i, [bottom, top], within) { // values off the chart that have no ring, at its edge
  const t = theme(), ringed = new Set(DATA.events.filter((e) => e[3]).map((e) => e[0])), x = column(i);
  const far = x.map((_, k) => k).filter((k) => (x[k] < bottom || x[k] > top) && !ringed.has(n[k]));
  return { x: far.map((k) => when[k]), y: far.map((k) => within(x[k])), mode: "markers",
    name: "beyond the edge", cliponaxis: false, customdata: far.map((k) => x[k]),
    marker: { color: t.dot, size: 7, symbol: far.map((k) => (x[k] > top ? "triangle-up" : "triangle-down")) },
    hovertemplate: "%{x}: %{customdata:.5g}<extra></extra>" };
}
function drawFan(i) {
  const t = theme(), traces = [];
  const bands = [[0.025, 0.975, "95 %", 0.16], [0.1, 0.9, "80 %", 0.2], [0.25, 0.75, "50 %", 0.28]];
  for (const [low, high, name, strength] of bands) {
    const line = { width: 0, shape: "hv" }, skip = { hoverinfo: "skip", mode: "lines", line };
    traces.push({ x: when, y: bandOf(level(low), i), ...skip, showlegend: false });
    traces.push({ x: when, y: bandOf(level(high), i), ...skip, fill: "tonexty",
      fillcolor: `rgba(${t.hue},${strength})`, name: `${name} range` });
  }
  traces.push({ x: when, y: bandOf(level(0.5), i), mode: "lines", name: "middle",
    line: { color: `rgb(${t.hue})`, width: 1.2, shape: "hv" }, hovertemplate: "middle %{y:.5g}<extra></extra>" });
  traces.push({ x: when, y: column(i), mode: "markers", name: "value",
    marker: { color: t.dot, size: M > 500 ? 2.5 : 4, opacity: 0.75 },
    hovertemplate: "%{x}: %{y:.5g}<extra></extra>" });
  const odd = DATA.events.filter((e) => e[3]), [bottom, top] = isWhole ? [-Infinity, Infinity] : DATA.ranges[i];
  const within = (y) => Math.min(Math.max(y, bottom), top); // what lies beyond is marked at the edge
  if (odd.length) traces.push({ x: odd.map(eventTime), y: odd.map((e) => within(e[5 + i])), mode: "markers",
    name: "very unusual", marker: { color: t.bad, size: 8, symbol: "circle-open", line: { width: 2 } },
    customdata: odd.map((e) => [e[5 + i], e[2]]), cliponaxis: false,
    hovertemplate: "%{x}: %{customdata[0]:.5g}, chance %{customdata[1]:.2g}<extra></extra>" });
  const edge = beyond(i, [bottom, top], within);
  if (edge.x.length) traces.push(edge);
  if (DATA.largest.length) traces.push({ x: [null], y: [null], mode: "lines", name: "lasting change",
    line: { color: t.alarm, width: 1.5, dash: "dot" } });
  plot("fan", traces, layout({ ...marks(), xaxis: axis({ title: { text: timeTitle },
    rangeslider: { visible: M > 200 && !isPaper, thickness: 0.08, bgcolor: `rgba(${t.hue},0.06)` } }),
    yaxis: axis(isWhole ? { fixedrange: false } : { range: [bottom, top], fixedrange: true }) }),
  { doubleClick: false, modeBarButtonsToRemove: [...CONFIG.modeBarButtonsToRemove, "resetScale2d"] });
  const place = document.getElementById("fan");
  place.removeAllListeners("plotly_doubleclick"); // of the column drawn before
  place.on("plotly_doubleclick", () => turnFan(i));
}
function drawHeat(i) {
  const t = theme(), heat = DATA.heat[i], grid = unpack(heat.grid).flat, d = unpack(heat.density);
  const z = grid.map((_, r) => heat.rows.map((_, c) => d.at(r, c)));
  plot("heat", [{ type: "heatmap", x: heat.rows.map((r) => when[r]), y: grid, z, zmin: 0, zmax: 255,
    colorscale: [[0, t.low], [1, t.high]], showscale: false, hoverinfo: "skip" }],
  layout({ xaxis: axis({ title: { text: timeTitle } }), yaxis: axis(), showlegend: false }));
}
function drawPair() {
  if (!document.getElementById("pair")) return;
  const t = theme(), a = +document.getElementById("horizontal").value;
  const b = +document.getElementById("vertical").value;
  const draws = (i) => Array.from({ length: DRAWS.shape[0] }, (_, r) => DRAWS.at(r, i));
  const show = (v) => [v.slice().sort((p, q) => p - q)].map((s) => {
    const low = s[Math.floor(0.005 * s.length)], high = s[Math.ceil(0.995 * s.length) - 1];
    return [low - 0.1 * (high - low), high + 0.1 * (high - low)];
  })[0];
  const side = { type: "histogram", showlegend: false, hoverinfo: "skip",
    marker: { color: `rgba(${t.hue},0.45)` } };
  const colour = column(0).map((_, k) => `rgba(${t.hue},${(0.12 + (0.75 * k) / M).toFixed(2)})`);
  plot("pair", [
    { x: column(a), y: column(b), mode: "markers", name: "values", marker: { color: colour, size: 4 } },
    { x: draws(a), y: draws(b), mode: "markers", name: "predicted next",
      marker: { color: t.alarm, symbol: "x-thin-open", size: 5, opacity: 0.75 }, hoverinfo: "skip" },
    { x: column(a), yaxis: "y2", ...side, nbinsx: 60 }, { y: column(b), xaxis: "x2", ...side, nbinsy: 60 },
  ], layout({ bargap: 0, xaxis: axis({ domain: [0, 0.83], range: show([...column(a), ...draws(a)]),
    title: { text: DATA.columns[a] } }),
    yaxis: axis({ domain: [0, 0.8], range: show([...column(b), ...draws(b)]), title: { text: DATA.columns[b] } }),
    xaxis2: axis({ domain: [0.85, 1], showticklabels: false }),
    yaxis2: axis({ domain: [0.83, 1], showticklabels: false }) }));
}
function drawCenters(i) {
  if (!CENTERS || !document.getElementById("centers")) return;
  const t = theme(), d = DATA.columns.length, paths = new Map();
  for (let s = 0; s < M; s++) {
    for (let c = 0; c < CENTERS.shape[1]; c++) {
      const value = CENTERS.at(s, c, i);
      if (value < NONE) continue;
      const identity = CENTERS.at(s, c, d + 1);
      if (!paths.has(identity)) paths.set(identity, { x: [], y: [], w: [] });
      const path = paths.get(identity);
      path.x.push(when[s]); path.y.push(value); path.w.push(CENTERS.at(s, c, d));
    }
  }
  const hues = [`rgb(${t.hue})`, "#d98324", "#2a9d8f", "#a06cc0", "#c75b7a", "#7d9b2f"];
  const all = { x: [], y: [], w: [], c: [] };
  [...paths.values()].forEach((path, k) => path.x.forEach((x, j) => {
    all.x.push(x); all.y.push(path.y[j]); all.w.push(path.w[j]); all.c.push(hues[k % hues.length]);
  }));
  plot("centers", [{ x: all.x, y: all.y, mode: "markers", showlegend: false,
    marker: { color: all.c, size: all.w.map((w) => 2 + 5 * Math.sqrt(Math.max(w, 0))), opacity: 0.7,
      line: { width: 0 } },
    customdata: all.w, hovertemplate: "%{x}: %{y:.5g}, share %{customdata:.0%}<extra></extra>" }],
  layout({ xaxis: axis({ title: { text: timeTitle } }), yaxis: axis({ range: groupRange(all, i) }) }));
}
function drawMemory() {
  const t = theme();
  if (!MEMORY) return;
  const traces = [{ x: when, y: MEMORY.flat, name: "memory (past values)", mode: "lines",
    line: { color: `rgb(${t.hue})`, width: 1.3 } }];
  if (K) traces.push({ x: when, y: K.flat, name: "groups", mode: "lines", yaxis: "y2",
    line: { color: t.alarm, width: 1.3, shape: "hv" } });
  plot("memory", traces, layout({ ...marks(), xaxis: axis({ title: { text: timeTitle } }),
    yaxis: axis({ title: { text: "memory" }, rangemode: "tozero" }),
    yaxis2: axis({ title: { text: "groups" }, overlaying: "y", side: "right", rangemode: "tozero",
      showgrid: false, dtick: 1 }) }));
}
function drawCalibration(i) {
  const t = theme(), levels = DATA.coverage_levels, bins = DATA.pit[i].length;
  const middles = DATA.pit[i].map((_, k) => (k + 0.5) / bins);
  const wobble = 3 * Math.sqrt(bins / Math.max(DATA.n_all, 1));
  plot("calibration", [
    { x: [0.45, 1], y: [0.45, 1], mode: "lines", line: { color: t.soft, dash: "dot" }, showlegend: false,
      hoverinfo: "skip" },
    { x: levels, y: DATA.coverage[i], mode: "markers+lines", name: "values inside the range",
      marker: { size: 9, color: `rgb(${t.hue})` }, line: { color: `rgb(${t.hue})`, width: 1 },
      hovertemplate: "promised %{x:.0%}, found %{y:.1%}<extra></extra>" },
    { x: middles, y: DATA.pit[i], type: "bar", xaxis: "x2", yaxis: "y2", name: "place inside the prediction",
      marker: { color: `rgba(${t.hue},0.55)` }, hovertemplate: "%{y:.2f} times the even share<extra></extra>" },
  ], layout({ bargap: 0.05,
    xaxis: axis({ domain: [0, 0.45], title: { text: "promised" }, tickformat: ".0%", range: [0.45, 1.03] }),
    yaxis: axis({ title: { text: "found" }, tickformat: ".0%", range: [Math.min(0.42, ...DATA.coverage[i]) - 0.03, 1.03] }),
    xaxis2: axis({ domain: [0.55, 1], title: { text: "from far below to far above" }, range: [0, 1] }),
    yaxis2: axis({ anchor: "x2", rangemode: "tozero" }),
    shapes: [{ type: "rect", xref: "x2", yref: "y2", x0: 0, x1: 1, y0: 1 - wobble, y1: 1 + wobble,
      fillcolor: `rgba(${t.hue},0.12)`, line: { width: 0 } },
    { type: "line", xref: "x2", yref: "y2", x0: 0, x1: 1, y0: 1, y1: 1, line: { color: t.soft, dash: "dot" } }] }));
}
function drawScore() {
  const t = theme(), width = Math.max(1, Math.floor(M / 150)), x = [], y = [];
  for (let s = 0; s + width <= M; s += width) {
    x.push(when[s + width - 1]);
    y.push(SCORE.slice(s, s + width).reduce((a, v) => a + v, 0) / width);
  }
  const sorted = y.slice().sort((a, b) => a - b), top = sorted[Math.floor(0.99 * (sorted.length - 1))];
  plot("score", [{ x, y, mode: "lines", line: { color: `rgb(${t.hue})`, width: 1.4 }, showlegend: false,
    hovertemplate: "%{x}: %{y:.4g}<extra></extra>" }],
  layout({ xaxis: axis({ title: { text: timeTitle } }), yaxis: axis({ range: [0, 1.25 * top || 1] }) }));
}
function draw() {
  const select = document.getElementById("column"), i = select ? +select.value : 0;
  drawFan(i); drawHeat(i); drawPair(); drawCenters(i); drawMemory(); drawCalibration(i); drawScore();
}
for (const name of ["column", "horizontal", "vertical"]) {
  document.getElementById(name)?.addEventListener("change", draw);
}
start(draw);
