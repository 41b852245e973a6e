"use strict";
// The page's own script: draws the charts from the numbers in #data and keeps the list of trials. Every text is put
// in as text, never as markup. All percentages were written by failrate; nothing is computed here but places.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colour = i => `var(--c${i % 7})`;
  const verdictColour = c => c.role === "baseline" ? "var(--c0)" : ["fixed", "better"].includes(c.verdict) ? "var(--c1)" : c.verdict === "worse" ? "var(--c2)" : "var(--out)";
  const verdictSymbol = c => c.role === "baseline" ? "square" : ["fixed", "better"].includes(c.verdict) ? "circle" : c.verdict === "worse" ? "triangle" : "diamond";
  const dashes = ["", "6,3", "2,3", "10,3,2,3", "1,4"];
  const percent = v => `${+(100 * v).toPrecision(4)} %`;
  const short = s => s.length > 26 ? s.slice(0, 25) + "…" : s;

  const make = (tag, attributes = {}, ...children) => {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) e.setAttribute(k, v);
    e.append(...children.filter(c => c !== null));
    return e;
  };
  const legend = items => make("ul", { class: "legend" }, ...items.map(([text, fill, mark]) => {
    const swatch = make("i", { "aria-hidden": "true", class: mark === undefined ? "" : mark in lines ? "line" : "mark" });
    if (mark === undefined) swatch.style.background = fill;
    else if (mark in lines) Object.assign(swatch.style, { borderTopColor: fill, borderTopStyle: lines[mark] });
    else Object.assign(swatch.style, { color: fill }), swatch.append(mark);
    return make("li", {}, swatch, text);
  }));
  const lines = { "": "solid", "6,3": "dashed", "2,3": "dotted", "10,3,2,3": "dashed", "1,4": "dotted" };
  const lineLegend = (cells, marks) => legend(cells.map((c, i) => [(marks ? marks[i % marks.length] + " " : "") + c.variant, colour(i), dashes[i % dashes.length]]));
  const numbers = (head, rows, caption = "The numbers of the chart") => { // the same numbers for readers who do not see the chart
    const d = make("details", { class: "screen" }, make("summary", {}, "Numbers"));
    d.addEventListener("toggle", () => {
      if (d.children.length > 1) return;
      const table = make("table", {}, make("caption", {}, caption), make("thead", {}, make("tr", {}, ...head.map(h => make("th", { scope: "col" }, h)))),
        make("tbody", {}, ...rows().map(r => make("tr", {}, ...r.map(x => make("td", {}, String(x)))))));
      d.append(make("div", { class: "wide", role: "region", tabindex: "0", "aria-label": "Numbers" }, table));
    });
    return d;
  };

  const figures = [];
  const figure = (parent, kind, caption, draw, ...more) => {
    const place = make("div");
    parent.append(make("figure", { class: kind, role: "group", "aria-label": caption }, make("figcaption", {}, caption), place, ...more));
    figures.push({ place, draw });
  };
  const names = cells => {
    const longest = Math.max(4, ...cells.map(c => short(c.variant).length));
    return Math.min(190, 12 + 7 * longest);
  };

  const intervals = (parent, s) => {
    const cells = s.cells.filter(c => c.n > 0), base = cells.find(c => c.role === "baseline");
    if (!cells.length) return;
    figure(parent, "intervals", `Failure rate with ${data.level} interval`, width => Plot.plot({
      width, height: 70 + 30 * cells.length, marginLeft: names(cells), ariaLabel: "Failure rates with intervals",
      x: { label: "failure rate", tickFormat: percent, domain: [0, Math.min(1, 1.05 * Math.max(0.01, ...cells.map(c => c.high)))], grid: true },
      y: { label: null, domain: cells.map((_, i) => i), tickFormat: i => short(cells[i].variant) },
      marks: [
        base ? Plot.ruleX([base.rate], { stroke: "var(--c0)", strokeDasharray: "4,4", ariaLabel: () => "baseline" }) : null,
        Plot.ruleY(cells, { y: (_, i) => i, x1: "low", x2: "high", stroke: verdictColour, strokeWidth: 2.5 }),
        Plot.dot(cells, { y: (_, i) => i, x: "rate", r: 6, symbol: verdictSymbol, fill: verdictColour, ariaLabel: "label", title: "label" }),
      ],
      symbol: { type: "identity" }, color: { type: "identity" },
    }), legend([["baseline, and the dashed line", "var(--c0)", "■"], ["better or fixed", "var(--c1)", "●"], ["worse", "var(--c2)", "▲"], ["inconclusive, equivalent or a control", "var(--out)", "◆"]]));
  };

  const composition = (parent, s) => {
    const parts = [];
    s.cells.forEach((c, i) => {
      let from = 0;
      for (const o of c.outcomes) if (o.n) parts.push({ i, ...o, from, to: from += o.n / c.trials, title: `${c.variant}: ${o.n} of ${c.trials} ${o.outcome}` });
    });
    if (!parts.length) return;
    const counted = d => ["pass", "fail", "timeout"].includes(d.outcome);
    const order = data.outcomes, fill = o => o === "pass" ? "var(--pass)" : o === "fail" ? "var(--fail)" : o === "timeout" ? "var(--timeout)" : "var(--out)";
    figure(parent, "outcomes", "How trials ended", width => Plot.plot({
      width, height: 60 + 30 * s.cells.length, marginLeft: names(s.cells), ariaLabel: "Shares of outcomes",
      x: { label: "share of trials", tickFormat: percent, domain: [0, 1] }, y: { label: null, domain: s.cells.map((_, i) => i), tickFormat: i => short(s.cells[i].variant) },
      color: { type: "identity" },
      marks: [
        Plot.barX(parts, { y: "i", x1: "from", x2: "to", fill: d => fill(d.outcome), fillOpacity: d => counted(d) ? 1 : .35, title: "title", ariaLabel: "title", insetLeft: .5, insetRight: .5, stroke: "var(--bg)" }),
        Plot.text(parts.filter(p => p.to - p.from > .07), { y: "i", x: d => (d.from + d.to) / 2, text: d => `${d.n} ${d.outcome}`, fill: d => counted(d) ? "var(--bar)" : "var(--ink)", ariaHidden: "true" }),
      ],
    }), legend([["pass", "var(--pass)"], ["fail", "var(--fail)"], ["timeout", "var(--timeout)"], ["in no rate: unexercised, broken, censored, lost", "var(--out)"]]),
      numbers(["variant", ...order], () => s.cells.map(c => [c.variant, ...order.map(o => (c.outcomes.find(x => x.outcome === o) || { n: 0 }).n)])));
  };

  const cumulative = (parent, s) => {
    const cells = s.cells.filter(c => c.timeline.some(b => b.rn > 0));
    if (!cells.length) return;
    const points = cells.flatMap((c, i) => c.timeline.filter(b => b.rn > 0).map(b => ({ i, x: b.last, rate: b.rk / b.rn, low: b.low, high: b.high })));
    figure(parent, "cumulative", "Cumulative failure rate over trials, with bounds at each point by itself", width => Plot.plot({
      width, height: 240, ariaLabel: "Cumulative failure rates",
      x: { label: "trials of each variant", nice: true }, y: { label: "failure rate so far", tickFormat: percent, domain: [0, Math.max(0.02, ...points.map(p => p.high))], grid: true },
      color: { type: "identity" },
      marks: [
        Plot.areaY(points, { x: "x", y1: "low", y2: "high", z: "i", fill: d => colour(d.i), fillOpacity: .12 }),
        ...cells.map((c, i) => Plot.line(points.filter(p => p.i === i), { x: "x", y: "rate", stroke: colour(i), strokeWidth: 2, strokeDasharray: dashes[i % dashes.length], ariaLabel: () => c.variant })),
      ],
    }), lineLegend(cells),
      numbers(["variant", "up to trial", "failed", "of", "low", "high"], () => cells.flatMap(c => c.timeline.map(b => [c.variant, b.last, b.rk, b.rn, percent(b.low), percent(b.high)]))));
  };

  const durations = (parent, s) => {
    const boxes = s.cells.flatMap(c => c.durations.map(d => ({ ...d, variant: c.variant, row: `${short(c.variant)}, ${d.outcome}`, title: `${c.variant}, ${d.outcome}: median ${d.median} s of ${d.n}` })));
    if (!boxes.length) return;
    boxes.forEach((b, i) => { b.i = i; });
    const stroke = d => d.outcome === "pass" ? "var(--pass)" : d.outcome === "fail" ? "var(--fail)" : "var(--timeout)";
    figure(parent, "durations", "Durations by outcome: 5 to 95 %, middle half, median", width => Plot.plot({
      width, height: 60 + 26 * boxes.length, marginLeft: Math.min(210, 20 + 6.6 * Math.max(...boxes.map(b => b.row.length))), ariaLabel: "Durations by outcome",
      x: { label: "seconds", grid: true, zero: true }, y: { label: null, domain: boxes.map(b => b.i), tickFormat: i => boxes[i].row }, color: { type: "identity" },
      marks: [
        Plot.ruleY(boxes, { y: "i", x1: "p5", x2: "p95", stroke }),
        Plot.ruleY(boxes, { y: "i", x1: "p25", x2: "p75", stroke, strokeWidth: 9 }),
        Plot.tickX(boxes, { y: "i", x: "median", stroke: "var(--ink)", strokeWidth: 2.5, title: "title", ariaLabel: "title" }),
      ],
    }), numbers(["variant", "outcome", "trials", "5 %", "25 %", "median", "75 %", "95 %"], () => boxes.map(b => [b.variant, b.outcome, b.n, b.p5, b.p25, b.median, b.p75, b.p95])));
  };

  const timeline = (parent, s) => {
    const bins = s.cells.flatMap((c, i) => c.timeline.map(b => ({ ...b, i, rate: b.n ? b.k / b.n : 0,
      title: `${c.variant}, blocks ${b.first} to ${b.last}: ${b.k} of ${b.n} failed, ${b.excluded} excluded` + (b.cores === null ? "" : `, ${b.cores.toFixed(2)} cores of stress`) })));
    if (!bins.length) return;
    const stressed = bins.filter(b => b.cores !== null);
    const rows = make("div");
    figure(parent, "timeline", "Blocks in order: the darker, the more failed; a cross marks exclusions", width => {
      const marginLeft = names(s.cells);
      rows.replaceChildren();
      if (stressed.length) rows.append(Plot.plot({
        width, height: 100, marginLeft, ariaLabel: "Stress achieved over blocks", x: { label: null, ticks: [] }, y: { label: "cores of stress", zero: true, ticks: 3 },
        marks: [Plot.dot(stressed, { x: d => (d.first + d.last) / 2, y: "cores", r: 1.6, fill: "var(--dim)" })],
      }));
      return Plot.plot({
        width, height: 60 + 26 * s.cells.length, marginLeft, ariaLabel: "Failures over blocks",
        x: { label: "block" }, y: { label: null, domain: s.cells.map((_, i) => i), tickFormat: i => short(s.cells[i].variant), padding: .15 }, color: { type: "identity" }, opacity: { type: "identity" },
        marks: [
          Plot.barX(bins, { y: "i", x1: d => d.first - .5, x2: d => d.last + .5, fill: "var(--fail)", fillOpacity: d => d.n ? .06 + .94 * d.rate : 0, stroke: "var(--line)", strokeWidth: .3, title: "title", ariaLabel: "title" }),
          Plot.dot(bins.filter(b => b.excluded > 0), { y: "i", x: d => (d.first + d.last) / 2, symbol: "times", r: 3.5, stroke: "var(--ink)", title: "title" }),
        ],
      });
    }, rows, numbers(["variant", "blocks", "failed", "of", "excluded", "median s", "cores"], () => bins.map(b => [s.cells[b.i].variant, `${b.first}–${b.last}`, b.k, b.n, b.excluded, b.wall, b.cores ?? ""])));
  };

  const curves = parent => {
    const groups = new Map();
    for (const c of data.curves) groups.set(c.title, [...(groups.get(c.title) || []), c]);
    if (groups.size) parent.append(make("h2", {}, "Failure share against swept parameters"));
    for (const [title, group] of groups) {
      const points = group.flatMap((c, i) => c.points.map(p => ({ ...p, i, title: `${c.variant} at ${p.value}: ${p.label}` })));
      figure(parent, "curve", title, width => Plot.plot({
        width, height: 300, ariaLabel: title,
        x: { label: group[0].axis, grid: true, ...(group[0].words ? { ticks: points.filter(p => p.i === 0).map(p => p.x), tickFormat: x => (points.find(p => p.x === x) || { value: "" }).value } : {}) },
        y: { label: "failure rate", tickFormat: percent, domain: [0, Math.max(0.02, ...points.map(p => p.high))], grid: true }, color: { type: "identity" }, symbol: { type: "identity" },
        marks: [
          Plot.areaY(points, { x: "x", y1: "low", y2: "high", z: "i", fill: d => colour(d.i), fillOpacity: .15 }),
          ...group.map((c, i) => Plot.line(points.filter(p => p.i === i), { x: "x", y: "rate", stroke: colour(i), strokeWidth: 2, strokeDasharray: dashes[i % dashes.length] })),
          Plot.dot(points, { x: "x", y: "rate", r: 4, fill: d => colour(d.i), symbol: d => ["circle", "triangle", "square", "diamond", "star"][d.i % 5], title: "title", ariaLabel: "title" }),
        ],
      }), lineLegend(group, ["●", "▲", "■", "◆", "★"]), numbers(["variant", "value", "failed", "low", "high"], () => points.map(p => [group[p.i].variant, p.value, p.label, percent(p.low), percent(p.high)])));
    }
  };

  const drawAll = () => {
    for (const f of figures) {
      const width = Math.max(260, Math.floor(f.place.getBoundingClientRect().width));
      if (f.width === width) continue;
      f.width = width;
      f.place.replaceChildren(f.draw(width));
    }
  };

  // The list of trials.
  const shown = 50;
  let limit = shown, matching = data.trials;
  const at = id => document.getElementById(id);
  const options = (id, values) => at(id).append(...[...new Set(values)].sort().map(v => make("option", { value: v }, v.length > 60 ? v.slice(0, 59) + "…" : v)));
  const cellOf = t => data.cells[t.cell];
  const item = t => {
    const c = cellOf(t);
    return make("article", { class: "trial", "data-id": t.id },
      make("h3", {}, t.id),
      make("p", {}, make("strong", {}, t.outcome + (t.class ? ` (${t.class})` : "")), ` — ${t.reason}`),
      make("p", { class: "dim" }, `${t.wall} s, block ${t.block}, attempt ${t.attempt}` + (t.evidence ? `; evidence: ${t.evidence}` : "") + (t.log ? `; log: ${t.log}` : "")),
      t.excerpt ? make("pre", { tabindex: "0", "aria-label": "Excerpt of the output" }, t.excerpt) : null,
      c.repeat ? make("details", {}, make("summary", {}, "Repeat"), make("pre", {}, c.repeat)) : null);
  };
  const list = () => {
    at("list").replaceChildren(...matching.slice(0, limit).map(item));
    at("count").textContent = `${matching.length} of ${data.trials.length} trials` + (matching.length > limit ? `, the first ${limit} are shown` : "") + (data.omitted ? `; ${data.omitted}` : "");
    at("more").hidden = matching.length <= limit;
  };
  const filter = () => {
    const text = at("f-text").value.toLowerCase(), variant = at("f-variant").value, stratum = at("f-stratum").value, outcome = at("f-outcome").value, kind = at("f-class").value;
    matching = data.trials.filter(t => (!variant || cellOf(t).variant === variant) && (!stratum || cellOf(t).stratum === stratum) && (!outcome || t.outcome === outcome) && (!kind || t.class === kind) &&
      (!text || `${t.id}\n${t.class}\n${t.reason}\n${t.evidence}\n${t.excerpt}`.toLowerCase().includes(text)));
    limit = shown;
    list();
  };
  options("f-variant", data.cells.map(c => c.variant));
  options("f-stratum", data.cells.map(c => c.stratum));
  options("f-outcome", data.trials.map(t => t.outcome));
  options("f-class", data.trials.map(t => t.class).filter(c => c));
  const form = document.querySelector(".filters");
  form.addEventListener("input", filter);
  form.addEventListener("submit", e => e.preventDefault());
  form.addEventListener("reset", () => setTimeout(filter));
  at("more").addEventListener("click", () => { limit += 10 * shown; list(); });

  document.querySelectorAll(".stratum").forEach(section => {
    const s = data.strata[section.dataset.stratum];
    if (!s) return; // the pooled table has no charts
    const charts = section.querySelector(".charts");
    for (const chart of [intervals, composition, cumulative, durations, timeline]) chart(charts, s);
  });
  curves(at("curves"));
  list();
  drawAll();
  let waiting = 0;
  new ResizeObserver(() => { cancelAnimationFrame(waiting); waiting = requestAnimationFrame(drawAll); }).observe(document.body);
  addEventListener("beforeprint", () => { // paper cannot be clicked
    limit = matching.length;
    list();
    document.querySelectorAll("details:not(.screen)").forEach(d => { d.open = true; });
  });
  document.body.dataset.ready = "yes";
})();
