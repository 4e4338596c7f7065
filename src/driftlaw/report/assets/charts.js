"use strict";
const DATA = JSON.parse(document.getElementById("data").textContent);
const NONE = -1e38; // numbers below stand for «none»

function bytesOf(text) {
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}
function unpack(packed) {
  if (!packed) return null;
  const flat = packed.u1 ? bytesOf(packed.u1) : new Float32Array(bytesOf(packed.f4).buffer);
  return { shape: packed.shape, at: (...i) => flat[i.reduce((a, v, k) => a * packed.shape[k] + v, 0)],
    flat: Array.from(flat, (v) => (v < NONE ? null : v)) };
}
let isPaper = false; // of fixed width, because a chart is drawn before the paper is laid out
const darkScreen = matchMedia("screen and (prefers-color-scheme: dark)");
function theme() {
  return darkScreen.matches && !isPaper
    ? { ink: "#c9d0db", line: "#2c3440", page: "#12161c", hue: "127,176,245", dot: "#dfe5ee",
        bad: "#ff7b72", alarm: "#e3b341", low: "#12161c", high: "#8fc0ff", soft: "#8b95a5" }
    : { ink: "#3c4553", line: "#e3e7ee", page: "#ffffff", hue: "47,98,173", dot: "#1d2430",
        bad: "#c62828", alarm: "#b7791f", low: "#ffffff", high: "#123f82", soft: "#7a8494" };
}
function axis(more = {}) {
  const t = theme();
  return { gridcolor: t.line, linecolor: t.line, zerolinecolor: t.line, automargin: true, ...more };
}
function layout(more = {}) {
  const t = theme();
  return { paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { color: t.ink, family: "system-ui, sans-serif", size: 13 },
    margin: { l: 55, r: 15, t: 10, b: 40 }, showlegend: true,
    legend: { orientation: "h", y: 1.02, yanchor: "bottom", x: 0 },
    hoverlabel: { bgcolor: t.page, font: { color: t.ink } }, ...more };
}
const CONFIG = { responsive: true, displaylogo: false,
  modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"] };
function plot(name, traces, look, config = {}) {
  const place = document.getElementById(name);
  if (!place) return;
  const size = isPaper ? { width: 680, height: name === "fan" ? 400 : 290, autosize: false } : { autosize: true };
  Plotly.react(place, traces, { ...look, ...size }, { ...CONFIG, ...config });
}
async function loadLibrary() {
  const packed = new Blob([bytesOf(document.getElementById("library").textContent)]);
  const stream = packed.stream().pipeThrough(new DecompressionStream("gzip"));
  const script = document.createElement("script");
  script.textContent = await new Response(stream).text();
  document.head.append(script);
}
function start(draw) {
  loadLibrary().then(() => {
    draw();
    darkScreen.addEventListener("change", draw);
    const turn = (toPaper) => {
      if (isPaper === toPaper) return;
      isPaper = toPaper;
      draw();
      if (!isPaper) document.querySelectorAll(".js-plotly-plot").forEach((p) => Plotly.Plots.resize(p));
    };
    matchMedia("print").addEventListener("change", (e) => turn(e.matches));
    addEventListener("beforeprint", () => turn(true));
    addEventListener("afterprint", () => turn(false));
    document.body.dataset.drawn = "yes";
  }).catch((error) => {
    for (const place of document.querySelectorAll(".plot")) {
      place.className = "failed";
      place.textContent = "This browser is too old to draw the charts.";
    }
    console.error(error);
  });
}
