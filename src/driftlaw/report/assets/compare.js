const HUES = ["#3b6fb6", "#d98324", "#2a9d8f", "#a06cc0", "#c75b7a", "#7d9b2f", "#7a8494", "#b08d57", "#2c9ccf"];
const RUNNING = unpack(DATA.running);
function drawGaps() {
  const t = theme(), names = DATA.names;
  plot("gaps", [{ x: DATA.gaps.map((g) => g[0]), y: names, mode: "markers", showlegend: false,
    marker: { size: 10, color: `rgb(${t.hue})` },
    error_x: { type: "data", symmetric: false, color: `rgba(${t.hue},0.7)`, thickness: 2,
      array: DATA.gaps.map((g) => g[2] - g[0]), arrayminus: DATA.gaps.map((g) => g[0] - g[1]) },
    hovertemplate: "%{y}: %{x:.4g}<extra></extra>" }],
  layout({ xaxis: axis({ title: { text: "behind the best" }, zeroline: true, zerolinecolor: t.soft }),
    yaxis: axis({ autorange: "reversed", type: "category" }) }));
}
function drawRunning() {
  const traces = DATA.names.map((name, i) => ({ x: DATA.when, name, mode: "lines",
    y: DATA.when.map((_, s) => RUNNING.at(i, s)),
    line: { color: HUES[i % HUES.length], width: name === "adaptive" ? 2.4 : 1.3 } }));
  const all = RUNNING.flat.slice().sort((a, b) => a - b), top = all[Math.floor(0.99 * (all.length - 1))];
  plot("running", traces, layout({ xaxis: axis(), yaxis: axis({ range: [0, 1.2 * top || 1] }) }));
}
function drawHeld() {
  const t = theme();
  plot("held", [{ x: DATA.names, y: DATA.held, type: "bar", showlegend: false,
    marker: { color: `rgba(${t.hue},0.6)` }, hovertemplate: "%{x}: %{y:.1%}<extra></extra>" }],
  layout({ xaxis: axis({ type: "category" }),
    yaxis: axis({ tickformat: ".0%", range: [Math.min(0.6, ...DATA.held) - 0.05, 1] }),
    shapes: [{ type: "line", xref: "paper", x0: 0, x1: 1, y0: 0.9, y1: 0.9,
      line: { color: t.soft, dash: "dot" } }] }));
}
start(() => { drawGaps(); drawRunning(); drawHeld(); });
