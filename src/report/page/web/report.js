"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8C6D31", "#5B5B5B", "#7B5BD6", "#A61E5B", "#44AA99", "#999933"];
  const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
  const markers = ["circle", "rect", "triangle", "rectRot"];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

  const prefixes = [[1e24, "Y"], [1e21, "Z"], [1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];
  const smalls = [[1, ""], [1e-3, "m"], [1e-6, "u"], [1e-9, "n"]];
  const digits = (v) => String(Number(v.toPrecision(4)));
  const prefixed = (v, table, base) => {
    if (v === 0) return "0 " + base;
    const found = table.find(([factor]) => Math.abs(v) >= factor) || table[table.length - 1];
    return digits(v / found[0]) + " " + found[1] + base;
  };
  const counted = (number, noun) => number + " " + (number === "1" || noun === "h" ? noun : noun + "s");
  const formatSeconds = (v) => {
    const day = 86400;
    if (v >= 365 * day) return counted(digits(v / (365 * day)), "year");
    if (v >= 2 * day) return counted(digits(v / day), "day");
    if (v >= 7200) return digits(v / 3600) + " h";
    return prefixed(v, smalls, "s");
  };
  const format = (v, unit) => {
    if (v === null || !Number.isFinite(v)) return "infeasible";
    switch (unit) {
      case "fraction": return digits(v * 100) + "%";
      case "seconds": return formatSeconds(v);
      case "bits_per_second": return prefixed(v, prefixes, "bps");
      case "bytes": return prefixed(v, prefixes, "B");
      case "joules": return prefixed(v, prefixes, "J");
      case "watts": return prefixed(v, prefixes, "W");
      case "usd": return "$" + prefixed(v, [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"], [1, ""]], "").replace(" ", "");
      case "flop_per_second": return prefixed(v, prefixes, "FLOP/s");
      default: return Math.abs(v) >= 1e4 ? prefixed(v, [[1e12, "T"], [1e9, "B"], [1e6, "M"], [1e3, "K"], [1, ""]], "").replace(" ", "") : digits(v);
    }
  };

  const element = (name, text, attributes) => {
    const node = document.createElement(name);
    if (text !== undefined) node.textContent = text;
    Object.entries(attributes || {}).forEach(([key, value]) => node.setAttribute(key, value));
    return node;
  };

  // Seconds are read in larger units, in which ticks should be round.
  const day = 86400;
  const longUnits = [[365 * day, "year"], [day, "day"], [3600, "h"]];
  const longUnit = (most, unit) => (unit === "seconds" && longUnits.find(([factor]) => most >= 2 * factor)) || [1, ""];
  const tickText = (v, unit, most) => {
    const [factor, name] = longUnit(most, unit);
    return factor > 1 ? counted(digits(v / factor), name) : format(v, unit);
  };
  const linearTicks = (min, max, wanted) => {
    const rough = (max - min) / wanted;
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999);
    const out = [];
    for (let n = Math.ceil(min / step - 1e-9); n * step <= max + step * 1e-9; ++n) out.push(n * step);
    return out;
  };
  // Decades, with 2 and 5 between them when they are few, and with all digits when those are fewer than three.
  const logTicks = (min, max, wanted) => {
    const first = Math.floor(Math.log10(min));
    const last = Math.ceil(Math.log10(max));
    const inside = (digits, stride) => {
      const out = [];
      for (let d = first; d <= last; d += stride)
        digits.forEach((m) => { if (m * 10 ** d >= min * 0.999 && m * 10 ** d <= max * 1.001) out.push(m * 10 ** d); });
      return out;
    };
    const tried = [[[1, 2, 5], 1], [[1], 1], [[1], Math.ceil((last - first) / wanted)]].map((way) => inside(...way));
    const best = tried.find((ticks) => ticks.length <= wanted && ticks.length >= 3) || tried.reverse().find((ticks) => ticks.length >= 3);
    return best || linearTicks(min, max, 4);
  };
  const niceTicks = (min, max, spec, log, wanted) => {
    if (!(max > min)) return [min];
    const [factor] = longUnit(max, spec.unit);
    const make = log && min > 0 ? logTicks : linearTicks;
    return make(min / factor, max / factor, wanted).map((v) => v * factor);
  };
  const wantedTicks = (scale) => Math.max(2, Math.min(9, Math.floor(scale.isHorizontal() ? scale.width / 80 : scale.height / 36)));
  const axis = (spec, log) => ({
    type: log ? "logarithmic" : "linear",
    beginAtZero: !log,
    title: { display: true, text: spec.label, color: css("--soft") },
    ticks: { color: css("--soft"), autoSkip: false, maxRotation: 0, callback(v) { return tickText(v, spec.unit, this.max); } },
    grid: { color: css("--line") },
    afterBuildTicks: (scale) => {
      scale.ticks = niceTicks(scale.min, scale.max, spec, log, wantedTicks(scale)).map((value) => ({ value }));
    },
  });

  // From the lowest to the highest value of a point, where it has them.
  const errorBars = {
    id: "errorBars",
    beforeDatasetsDraw(chart) {
      const { ctx, chartArea: area, scales: { y } } = chart;
      ctx.save();
      ctx.beginPath();
      ctx.rect(area.left, area.top, area.right - area.left, area.bottom - area.top);
      ctx.clip();
      ctx.lineWidth = 1;
      ctx.globalAlpha = 0.55;
      chart.data.datasets.forEach((set, i) => {
        if (!chart.isDatasetVisible(i)) return;
        ctx.strokeStyle = set.borderColor;
        chart.getDatasetMeta(i).data.forEach((point, at) => {
          const { low, high } = set.data[at];
          if (low === undefined) return;
          ctx.beginPath();
          [low, high].forEach((end) => {
            ctx.moveTo(point.x - 3, y.getPixelForValue(end));
            ctx.lineTo(point.x + 3, y.getPixelForValue(end));
          });
          ctx.moveTo(point.x, y.getPixelForValue(low));
          ctx.lineTo(point.x, y.getPixelForValue(high));
          ctx.stroke();
        });
      });
      ctx.restore();
    },
  };
  const charts = [];

  const drawChart = (spec) => {
    const box = element("div", undefined, { class: "chart" });
    const head = element("div", undefined, { class: "chart-head" });
    head.append(element("strong", spec.title));
    const tools = element("div");
    head.append(tools);
    const holder = element("div", undefined, { class: "canvas" });
    const canvas = element("canvas", undefined, { role: "img", "aria-label": spec.title });
    holder.append(canvas);
    if (innerWidth < 720 && spec.lines.length > 3) holder.style.height = 250 + 24 * spec.lines.length + "px";
    box.append(head, holder);
    document.getElementById("chart-list").append(box);
    const xs = [...new Set(spec.lines.flatMap((line) => line.points.map((p) => p.x)))].sort((a, b) => a - b);
    const joined = spec.lines.some((line) => line.joined);
    const scattered = spec.lines.every((line) => !line.joined);
    // Ticks stand where the points are, so that a reader finds the values that were swept, if their labels are
    // short; none on top of another.
    const short = (x) => {
      const label = tickText(x, spec.x.unit, xs[xs.length - 1]);
      return !label.includes(".") || label.replace(/[^0-9.]/g, "").replace(/^[0.]+/, "").replace(".", "").length <= 2;
    };
    const atPoints = joined && xs.length <= 16 && xs.every(short);
    const apart = (log, wanted) => {
      const at = log ? Math.log : (x) => x;
      const least = (at(xs[xs.length - 1]) - at(xs[0])) / (1.6 * wanted);
      return xs.reduce((kept, x) => (kept.length && at(x) - at(kept[kept.length - 1]) < least ? kept : [...kept, x]), []);
    };
    const axisX = (log) => ({
      ...axis(spec.x, log),
      beginAtZero: false,
      ...(scattered ? { grace: log ? 0 : "8%" } : { min: xs[0], max: xs[xs.length - 1] }),
      afterBuildTicks: (scale) => {
        const wanted = wantedTicks(scale);
        const ticks = atPoints ? apart(log, wanted) : niceTicks(scale.min, scale.max, spec.x, log, wanted);
        scale.ticks = ticks.map((value) => ({ value }));
      },
    });
    // Points alone are compared with each other, lines with nothing at all. Error bars are inside.
    const ends = spec.lines.flatMap((line) => line.points.flatMap((p) => (p.low === undefined ? [] : [p.low, p.high])));
    const ys = spec.lines.flatMap((line) => line.points.map((p) => p.y)).filter((v) => v !== null);
    const [lowest, highest] = [Math.min(...ys), Math.max(...ys)];
    const near = highest > lowest && highest - lowest < 0.5 * highest;
    const fromZero = { min: 0, suggestedMax: spec.y.unit === "fraction" && highest <= 1 ? Math.min(1, 1.1 * highest) : 1.1 * highest };
    const axisY = (log) => ({
      ...axis(spec.y, log),
      ...(scattered && !log ? (lowest >= 0 && !near ? fromZero : { beginAtZero: false, grace: "10%" }) : {}),
      ...(ends.length ? { suggestedMin: Math.min(...ends), suggestedMax: Math.max(...ends) } : {}),
    });
    const scales = { x: axisX(spec.x.log), y: axisY(spec.y.log) };
    const chart = new Chart(canvas, {
      type: "line",
      data: {
        datasets: spec.lines.map((line, i) => ({
          label: line.label,
          data: line.points,
          showLine: line.joined,
          borderColor: colours[i % colours.length],
          backgroundColor: colours[i % colours.length],
          // After so many lines colours come again, each with another dash and mark than before.
          borderDash: dashes[(i + Math.floor(i / colours.length)) % dashes.length],
          pointStyle: markers[(i + Math.floor(i / colours.length)) % markers.length],
          borderWidth: 2,
          pointRadius: !line.joined ? 4 : line.points.length > 60 ? 0 : 3,
          tension: 0,
          spanGaps: false,
          clip: 4,
        })),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: joined && !scattered && spec.lines.every((line) => line.joined) ? { mode: "x", intersect: false } : { mode: "nearest", intersect: true },
        scales,
        plugins: {
          legend: { labels: { color: css("--ink"), usePointStyle: true, boxHeight: 7 } },
          tooltip: {
            callbacks: {
              title: (items) => items.length ? items[0].raw.label || format(items[0].parsed.x, spec.x.unit) : "",
              label: (item) => {
                const { low, high, label } = item.raw;
                const bars = low === undefined ? "" : " (" + format(low, spec.y.unit) + " to " + format(high, spec.y.unit) + ")";
                const at = label ? format(item.parsed.x, spec.x.unit) + ", " : "";
                return item.dataset.label + ": " + at + format(item.parsed.y, spec.y.unit) + bars;
              },
            },
          },
        },
      },
      plugins: [errorBars],
    });
    charts.push(chart);
    ["x", "y"].forEach((which) => {
      let log = spec[which].log;
      const values = spec.lines.flatMap((line) => line.points.map((p) => p[which]));
      if (!log && !values.every((v) => v > 0)) return;  // nothing at or below 0 is on a logarithmic axis
      const button = element("button", which + ": " + (log ? "log" : "linear"), { type: "button" });
      button.addEventListener("click", () => {
        log = !log;
        chart.options.scales[which] = which === "x" ? axisX(log) : axisY(log);
        button.textContent = which + ": " + (log ? "log" : "linear");
        chart.update();
      });
      tools.append(button, " ");
    });
  };
  const recolour = () => charts.forEach((chart) => {
    Object.values(chart.options.scales).forEach((scale) => {
      scale.title.color = scale.ticks.color = css("--soft");
      scale.grid.color = css("--line");
    });
    chart.options.plugins.legend.labels.color = css("--ink");
    chart.update();
  });

  const fillContents = () => {
    const nav = document.getElementById("contents");
    document.querySelectorAll("main section").forEach((section) => {
      nav.append(element("a", section.querySelector("h2").textContent, { href: "#" + section.id }));
    });
  };

  // The plan's numbers; a heading goes with its rows.
  const filterQuantities = () => {
    const input = document.getElementById("filter");
    if (!input) return;
    const none = element("p", "No number has this name.", { class: "soft", role: "status", hidden: "" });
    document.getElementById("quantities").append(none);
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      let shown = 0;
      document.querySelectorAll(".quantity-group").forEach((group) => {
        let left = 0;
        group.querySelectorAll("details.quantity").forEach((row) => {
          row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
          if (!row.hidden) ++left;
        });
        group.hidden = group.previousElementSibling.hidden = left === 0;
        shown += left;
      });
      none.hidden = shown > 0;
    });
  };

  // Tables with many rows: words that all have to stand in a row, and columns that sort it.
  const fewRows = 8;
  const numberOf = (text) => {
    const found = text.replace(/,/g, "").match(/[-+]?\d+\.?\d*(?:e[-+]?\d+)?/);
    return found ? Number(found[0]) : -Infinity;
  };
  const makeSortable = (table, body) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((cell, column) => {
      const button = element("button", cell.textContent, { type: "button" });
      cell.replaceChildren(button);
      button.addEventListener("click", () => {
        const down = cell.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        cell.setAttribute("aria-sort", down ? "descending" : "ascending");
        const key = (row) => (row.cells[column].dataset.key !== undefined ? Number(row.cells[column].dataset.key) : row.cells[column].textContent);
        const numbers = cell.classList.contains("value");
        const order = (a, b) => (numbers ? Number(numberOf(String(key(a)))) - Number(numberOf(String(key(b)))) : String(key(a)).localeCompare(String(key(b))));
        body.append(...[...body.rows].sort((a, b) => (down ? -1 : 1) * order(a, b)));
      });
    });
  };
  const makeFilter = (holder, body) => {
    const rows = [...body.rows];
    const label = element("label", "Filter ", { class: "table-filter" });
    const input = element("input", undefined, { type: "search", placeholder: "words" });
    const count = element("span", rows.length + " rows", { class: "soft", role: "status" });
    label.append(input);
    const tools = element("p", undefined, { class: "table-tools" });
    tools.append(label, " ", count);
    holder.before(tools);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      rows.forEach((row) => { row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word)); });
      count.textContent = rows.filter((row) => !row.hidden).length + " of " + rows.length + " rows";
    });
  };
  const fillTables = () => document.querySelectorAll(".filterable").forEach((holder) => {
    const table = holder.querySelector("table");
    makeSortable(table, table.tBodies[0]);
    if (table.tBodies[0].rows.length >= fewRows) makeFilter(holder, table.tBodies[0]);
  });

  window.page = { colours, counted, css, element, format, niceTicks };  // for the scripts of single pages
  fillContents();
  filterQuantities();
  fillTables();
  data.charts.forEach(drawChart);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  // On paper charts are as wide as its text, and sharp.
  const printed = { width: 690, height: 330, sharpness: 2 };
  const allCharts = () => Object.values(window.Chart ? window.Chart.instances : {});
  addEventListener("beforeprint", () => allCharts().forEach((chart) => {
    chart.options.devicePixelRatio = printed.sharpness;
    chart.resize(printed.width, printed.height);
  }));
  addEventListener("afterprint", () => allCharts().forEach((chart) => {
    delete chart.options.devicePixelRatio;
    chart.resize();
  }));
})();
