"use strict";
// The points of a search: a chart and a table with the same filters, and the plan of the chosen point.
// A point has its choice (for each setting, which of the values), values and texts of every measure, its plan.
(() => {
  const data = JSON.parse(document.getElementById("points-data").textContent);
  if (!data) return;  // no answer
  const { colours, counted, css, element, format, niceTicks } = window.page;
  const { measures, settings, points } = data;
  const byId = (id) => document.getElementById(id);
  byId("points-box").hidden = false;

  const lastPart = (key) => key.slice(key.lastIndexOf(".") + 1);
  const names = settings.map(({ key }) => {
    const short = lastPart(key);
    return settings.filter((other) => lastPart(other.key) === short).length > 1 ? key : short;
  });
  const valueOf = (point, s) => settings[s].values[point.choice[s]];
  const anyFront = points.some((p) => p.front);
  const title = (point) => {
    const rank = point.rank > 0 ? "#" + point.rank + " of the ranking" : "";
    const front = point.front ? "on the Pareto front" : "";
    return [rank, front].filter(Boolean).join(", ");
  };
  // Numbers rise, words follow the alphabet, what is unknown comes last.
  const compare = (a, b) => {
    if (a === b) return 0;
    if (a === null || b === null) return a === null ? 1 : -1;
    return a < b ? -1 : 1;
  };

  // What passes: values of settings (none chosen: all), ranges of objectives and of what has a limit, the front alone.
  const chosen = settings.map(() => new Set());
  const ranges = measures.slice(0, data.shown).map(() => [-Infinity, Infinity]);
  let frontAlone = false;
  const passes = (p) => (!frontAlone || p.front)
    && chosen.every((set, s) => set.size === 0 || set.has(p.choice[s]))
    && ranges.every(([low, high], m) => p.values[m] >= low && p.values[m] <= high);
  let selected = points[0];

  // --- The plan of a point.
  const facts = (rows) => {
    const box = element("div");
    rows.forEach(([label, value]) => {
      const row = element("div", undefined, { class: "fact" });
      row.append(element("span", label), element("span", value, { class: "value" }));
      box.append(row);
    });
    return box;
  };
  const partColours = [...colours, "#6B4C9A", "#C0392B", "#A0A7AE"];
  const bar = ({ title: text, parts }) => {
    const box = element("div", undefined, { class: "bar" });
    const stack = element("div", undefined, { class: "stack", "aria-hidden": "true" });
    const key = element("div", undefined, { class: "key" });
    parts.forEach(([name, share, value], i) => {
      const colour = partColours[i % partColours.length];
      const piece = element("span", undefined, { title: name + " " + value });
      piece.style.width = 100 * share + "%";
      piece.style.background = colour;
      stack.append(piece);
      const label = element("span");
      const swatch = element("i");
      swatch.style.background = colour;
      label.append(swatch, name + " " + value);
      key.append(label);
    });
    box.append(element("p", text), stack, key);
    return box;
  };
  const command = (text) => {
    const box = element("div");
    const code = element("pre", text);
    const copy = element("button", "copy", { type: "button" });
    const select = () => getSelection().selectAllChildren(code);
    copy.addEventListener("click", () => {
      select();
      const done = navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject();
      done.then(() => { copy.textContent = "copied"; }, () => { copy.textContent = "selected"; });
    });
    box.append(element("h4", "The command that plans it"), code, copy);
    return box;
  };
  const showPlan = () => {
    const { plan } = selected;
    const panel = byId("plan");
    const own = measures.slice(0, data.shown).map((m, i) => [m.label, selected.texts[i]]);
    panel.replaceChildren(
      element("a", "Back to the points", { href: "#points", class: "back" }),
      element("h3", title(selected), { role: "status" }),
      facts([...own, ...settings.map((s, i) => [s.key, valueOf(selected, i)])]),
      bar(plan.step), bar(plan.memory), command(selected.command),
      ...plan.warnings.map((text) => element("p", text, { class: "warning" })),
      ...plan.groups.flatMap(([name, rows]) => [element("h4", name), facts(rows)]),
    );
    const bases = [plan.basis && "80% interval of a step: " + plan.basis + ".", selected.order];
    bases.filter(Boolean).forEach((text) => panel.append(element("p", text, { class: "soft" })));
    panel.scrollTop = 0;
  };

  // --- The chart.
  const values = (m) => points.map((p) => p.values[m]).filter((v) => v !== null);
  const spread = (m) => new Set(values(m)).size;
  const wide = (m) => {
    const all = values(m);
    return Math.min(...all) > 0 && Math.max(...all) / Math.min(...all) > 20;
  };
  // Objectives first; beside a single one, what has a limit and what differs.
  const others = measures.map((_, m) => m).filter((m) => m > 0 && spread(m) > 1);
  const axes = { x: { m: 0, log: false }, y: { m: data.objectives > 1 ? 1 : others[0] ?? 1, log: false } };
  Object.values(axes).forEach((a) => { a.log = wide(a.m); });
  let colourBy = -1;
  const fewValues = settings.map((_, s) => s).filter((s) => settings[s].values.length > 1 && settings[s].values.length <= colours.length);

  // Long times stand in days or years, so that ticks are round.
  const day = 86400;
  const timeUnits = [[365 * day, "year"], [day, "day"], [3600, "h"], [1, "s"]];
  const scaleOf = (m) => {
    if (measures[m].unit !== "seconds") return [1, (v) => format(v, measures[m].unit)];
    const most = Math.max(...values(m));
    const [factor, name] = timeUnits.find(([f]) => most >= 2 * f) || timeUnits[3];
    return [factor, (v) => (factor > 1 ? counted(format(v, "number"), name) : format(v, "seconds"))];
  };
  const along = (p, m) => (p.values[m] === null ? null : p.values[m] / scaleOf(m)[0]);
  const at = (p) => ({ x: along(p, axes.x.m), y: along(p, axes.y.m), point: p });
  const groups = () => {
    const shown = points.filter(passes);
    if (colourBy >= 0)
      return settings[colourBy].values.map((value, v) => [names[colourBy] + " " + value, colours[v], shown.filter((p) => p.choice[colourBy] === v)]);
    return [["Pareto front", colours[0], shown.filter((p) => p.front)],
      [anyFront ? "ranked, not on the front" : "ranked", anyFront ? colours[1] : colours[0], shown.filter((p) => !p.front)]];
  };
  // Between two objectives: no point of the space lies on the better side of the line.
  const frontLine = () => {
    if (data.objectives !== 2 || axes.x.m + axes.y.m !== 1) return [];
    const line = points.filter((p) => p.front).map(at).sort((a, b) => a.x - b.x);
    return [{ type: "line", label: "", data: line, borderColor: css("--soft"), borderWidth: 1, borderDash: [4, 3], pointRadius: 0, pointHitRadius: 0, stepped: measures[axes.x.m].largest ? "after" : "before", order: 5 }];
  };
  const radius = (p) => (p === selected ? 9 : p === points[0] ? 7 : 5);
  const dataset = ([label, colour, some], i) => ({
    label,
    data: some.map(at).filter(({ x, y }) => x !== null && y !== null),
    backgroundColor: colour,
    borderColor: colour,
    pointStyle: ["circle", "rect", "triangle", "rectRot"][i % 4],
    pointRadius: ({ raw }) => (raw ? radius(raw.point) : 5),
    pointHoverRadius: ({ raw }) => (raw ? radius(raw.point) + 2 : 7),
    pointBorderColor: ({ raw }) => (raw && raw.point === selected ? css("--ink") : colour),
    pointBorderWidth: ({ raw }) => (raw && raw.point === selected ? 2.5 : 1),
    order: 2,
  });
  const dimmed = () => ({
    label: "filtered out",
    data: points.filter((p) => !passes(p)).map(at),
    backgroundColor: css("--line"),
    pointBorderColor: css("--line"),
    pointRadius: 3,
    order: 6,
  });
  const datasets = () => [...groups().filter(([, , some]) => some.length).map(dataset), ...(points.every(passes) ? [] : [dimmed()]), ...frontLine()];
  const axis = ({ m, log }) => ({
    type: log ? "logarithmic" : "linear",
    grace: log ? 0 : "6%",
    title: { display: true, text: measures[m].label + (measures[m].largest ? " (more is better)" : ""), color: css("--soft") },
    ticks: { color: css("--soft"), autoSkip: false, maxRotation: 0, callback: scaleOf(m)[1] },
    grid: { color: css("--line") },
    afterBuildTicks: (scale) => {
      const wanted = Math.max(2, Math.min(8, Math.floor(scale.isHorizontal() ? scale.width / 80 : scale.height / 36)));
      scale.ticks = niceTicks(scale.min, scale.max, { unit: "number" }, log, wanted).map((value) => ({ value }));
    },
  });
  const scales = () => ({ x: axis(axes.x), y: axis(axes.y) });
  // Points may lie on each other: a click on them shows one after the other.
  const samePlace = (point) => points.filter((p) => passes(p) === passes(point)
    && Object.values(axes).every(({ m }) => p.values[m] === point.values[m]));
  const clicked = (point) => {
    const here = samePlace(point);
    select(here[(here.indexOf(selected) + 1) % here.length], true);
  };
  const more = (point) => {
    const count = samePlace(point).length - 1;
    return count > 0 ? ["and " + count + " more at this place"] : [];
  };
  const tooltipLines = ({ raw: { point } }) => [
    measures[axes.x.m].label + ": " + point.texts[axes.x.m],
    measures[axes.y.m].label + ": " + point.texts[axes.y.m],
    ...settings.map((_, s) => names[s] + " = " + valueOf(point, s)),
    ...more(point),
  ];
  const legendLabels = (drawn) => Chart.defaults.plugins.legend.labels.generateLabels(drawn)
    .map((label) => ({ ...label, lineWidth: 1, strokeStyle: label.fillStyle }));
  const canvas = byId("points-chart");
  const chart = new Chart(canvas, {
    type: "scatter",
    data: { datasets: datasets() },
    options: {
      animation: false,
      maintainAspectRatio: false,
      interaction: { mode: "nearest", intersect: true },
      scales: scales(),
      onClick: (_, hits) => { if (hits.length) clicked(chart.data.datasets[hits[0].datasetIndex].data[hits[0].index].point); },
      onHover: (event, hits) => { event.native.target.style.cursor = hits.length ? "pointer" : ""; },
      plugins: {
        legend: { labels: { color: css("--ink"), usePointStyle: true, boxHeight: 7, generateLabels: legendLabels, filter: ({ text }) => text !== "" } },
        tooltip: { filter: ({ dataset: d }, i) => d.label !== "" && i === 0, displayColors: false, callbacks: { title: (items) => (items.length ? title(items[0].raw.point) : ""), label: tooltipLines } },
      },
    },
  });
  const drawChart = () => {
    chart.data.datasets = datasets();
    chart.options.scales = scales();
    chart.options.plugins.legend.labels.color = css("--ink");
    chart.update();
  };

  // --- The table. A column: its name, what it sorts by, what it shows, whether that is a number.
  const columns = [
    { name: "rank", key: (p) => p.rank || null },
    ...(anyFront ? [{ name: "front", key: (p) => (p.front ? 0 : 1), text: (p) => (p.front ? "\u25cf" : "") }] : []),
    ...measures.slice(0, data.shown).map((m, i) => ({ name: m.label, key: (p) => p.values[i], text: (p) => p.texts[i], number: true })),
    ...settings.map((s, i) => ({ name: names[i], hint: s.key, key: (p) => p.choice[i], text: (p) => valueOf(p, i) })),
  ];
  let sorted = { by: columns[0], down: false };
  const rows = new Map();
  const drawTable = () => {
    const shown = points.filter(passes).sort((a, b) => {
      const [first, second] = [sorted.by.key(a), sorted.by.key(b)];
      const known = first !== null && second !== null;
      return (sorted.down && known ? -1 : 1) * compare(first, second);
    });
    byId("points-table").tBodies[0].replaceChildren(...shown.map((p) => rows.get(p)));
    byId("shown-count").textContent = shown.length + " of " + points.length + " points";
  };
  const markSelected = () => rows.forEach((row, p) => row.setAttribute("aria-selected", String(p === selected)));
  const select = (point, moves) => {
    selected = point;
    showPlan();
    markSelected();
    drawChart();
    history.replaceState(null, "", "#point-" + (points.indexOf(point) + 1));
    const row = rows.get(point);
    const box = row.closest(".scroll");
    if (row.isConnected && (row.offsetTop < box.scrollTop + 40 || row.offsetTop + row.offsetHeight > box.scrollTop + box.clientHeight))
      box.scrollTop = row.offsetTop - box.clientHeight / 2;
    const panel = byId("plan");
    if (moves && panel.getBoundingClientRect().top > innerHeight - 80) panel.scrollIntoView({ behavior: "smooth" });
  };
  const makeRow = (p) => {
    const row = element("tr");
    columns.forEach((column, c) => {
      const cell = element("td", c > 0 ? column.text(p) : undefined, column.number ? { class: "value" } : {});
      if (c === 0) cell.append(element("button", p.rank > 0 ? "#" + p.rank : "\u2013", { type: "button", "aria-label": "the plan of " + title(p) }));
      row.append(cell);
    });
    row.addEventListener("click", () => select(p, true));
    return row;
  };
  const head = byId("points-table").tHead.rows[0];
  const markSorted = () => columns.forEach((column, c) => {
    if (column === sorted.by) head.cells[c].setAttribute("aria-sort", sorted.down ? "descending" : "ascending");
    else head.cells[c].removeAttribute("aria-sort");
  });
  columns.forEach((column) => {
    const cell = element("th", undefined, { scope: "col", title: column.hint || column.name, ...(column.number ? { class: "value" } : {}) });
    const button = element("button", column.name, { type: "button" });
    button.addEventListener("click", () => {
      sorted = { by: column, down: sorted.by === column && !sorted.down };
      markSorted();
      drawTable();
    });
    cell.append(button);
    head.append(cell);
  });
  points.forEach((p) => rows.set(p, makeRow(p)));
  byId("points-table").tBodies[0].addEventListener("keydown", (event) => {
    const row = event.target.closest("tr");
    const next = event.key === "ArrowDown" ? row.nextElementSibling : event.key === "ArrowUp" ? row.previousElementSibling : null;
    if (!next) return;
    event.preventDefault();
    next.querySelector("button").focus();
    select([...rows].find(([, r]) => r === next)[0], false);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const order = points.filter(passes).sort((a, b) => compare(a.values[axes.x.m], b.values[axes.x.m]) || compare(a.values[axes.y.m], b.values[axes.y.m]));
    if (order.length) select(order[(order.indexOf(selected) + step + order.length) % order.length], false);
  });

  // --- Filters.
  const changed = () => {
    drawTable();
    drawChart();
  };
  const resets = [];
  const group = (name) => {
    const set = element("fieldset");
    set.append(element("legend", name));
    byId("filter-groups").append(set);
    return set;
  };
  const toggle = (text, act) => {
    const button = element("button", text, { type: "button", "aria-pressed": "false" });
    const press = (on) => {
      button.setAttribute("aria-pressed", String(on));
      act(on);
    };
    button.addEventListener("click", () => {
      press(button.getAttribute("aria-pressed") !== "true");
      changed();
    });
    resets.push(() => press(false));
    return button;
  };
  const chips = (set, buttons) => {
    const box = element("div", undefined, { class: "chips" });
    box.append(...buttons);
    set.append(box);
  };
  // A slider moves over the values that points have, so that wide ranges are as easy as narrow ones.
  const slider = (m, stops, which) => {
    const label = element("label", undefined, { class: "range" });
    const end = which === 0 ? 0 : stops.length - 1;
    const input = element("input", undefined, { type: "range", min: 0, max: stops.length - 1, step: 1, value: end });
    const output = element("output");
    const put = () => {
      const [value, text] = stops[Number(input.value)];
      ranges[m][which] = Number(input.value) === end ? (which === 0 ? -Infinity : Infinity) : value;
      output.textContent = text;
      input.setAttribute("aria-valuetext", text);
    };
    input.addEventListener("input", () => {
      put();
      changed();
    });
    resets.push(() => {
      input.value = end;
      put();
    });
    put();
    label.append(element("span", which === 0 ? "from" : "to"), input, output);
    return label;
  };
  if (anyFront && points.some((p) => !p.front))
    chips(group("which points"), [toggle("the Pareto front alone", (on) => { frontAlone = on; })]);
  settings.forEach((setting, s) => {
    if (setting.values.length < 2) return;
    chips(group(setting.key), setting.values.map((value, v) => toggle(value, (on) => { if (on) chosen[s].add(v); else chosen[s].delete(v); })));
  });
  ranges.forEach((_, m) => {
    const stops = [...new Map(points.map((p) => [p.values[m], p.texts[m]]))].filter(([v]) => v !== null).sort(([a], [b]) => a - b);
    if (stops.length < 2) return;
    group(measures[m].label).append(slider(m, stops, 0), slider(m, stops, 1));
  });
  byId("clear").addEventListener("click", (event) => {
    event.preventDefault();  // it stands in the summary, which would close
    resets.forEach((reset) => reset());
    changed();
  });
  if (innerWidth < 720) byId("filters").open = false;

  // --- What the axes show.
  const choice = (name, options, current, act) => {
    const label = element("label", name);
    const box = element("select");
    options.forEach(([value, text]) => box.append(new Option(text, value, false, value === current)));
    box.addEventListener("change", () => {
      act(Number(box.value));
      drawChart();
    });
    label.append(box);
    return label;
  };
  Object.entries(axes).forEach(([which, spec]) => {
    const log = element("button", "log", { type: "button", "aria-label": which + " axis: logarithmic" });
    const mark = () => log.setAttribute("aria-pressed", String(spec.log));
    const usable = measures.map((m, i) => [i, m.label]).filter(([i]) => i < data.objectives || spread(i) > 0);
    byId("axes").append(choice(which, usable, spec.m, (m) => {
      spec.m = m;
      spec.log = wide(m);
      mark();
    }), log);
    log.addEventListener("click", () => {
      spec.log = !spec.log;
      mark();
      drawChart();
    });
    mark();
  });
  if (fewValues.length)
    byId("axes").append(choice("colour", [[-1, anyFront ? "Pareto front" : "none"], ...fewValues.map((s) => [s, names[s]])], -1, (s) => { colourBy = s; }));

  const linked = points[Number((location.hash.match(/^#point-(\d+)$/) || [])[1]) - 1];
  if (linked) selected = linked;
  markSorted();
  drawTable();
  markSelected();
  showPlan();
  drawChart();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawChart);
})();
