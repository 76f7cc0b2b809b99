"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const colours = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#8C6D31", "#5B5B5B"];
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
  const formatSeconds = (v) => {
    const day = 86400;
    if (v >= 365 * day) return digits(v / (365 * day)) + " years";
    if (v >= 2 * day) return digits(v / day) + " days";
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

  const axis = (spec, log) => ({
    type: log ? "logarithmic" : "linear",
    beginAtZero: !log,
    title: { display: true, text: spec.label, color: css("--soft") },
    ticks: { color: css("--soft"), maxTicksLimit: 9, callback: (v) => format(v, spec.unit) },
    grid: { color: css("--line") },
  });

  const drawChart = (spec) => {
    const box = element("div", undefined, { class: "chart" });
    const head = element("div", undefined, { class: "chart-head" });
    head.append(element("strong", spec.title));
    const tools = element("div");
    head.append(tools);
    const holder = element("div", undefined, { class: "canvas" });
    const canvas = element("canvas", undefined, { role: "img", "aria-label": spec.title });
    holder.append(canvas);
    box.append(head, holder);
    document.getElementById("chart-list").append(box);
    // Ticks stand where the points are, so that a reader finds the rates that were swept; none on top of another.
    const xs = [...new Set(spec.lines.flatMap((line) => line.points.map((p) => p.x)))].sort((a, b) => a - b);
    const apart = (log) => {
      const at = log ? Math.log : (x) => x;
      const least = (at(xs[xs.length - 1]) - at(xs[0])) / 20;
      return xs.reduce((kept, x) => (kept.length && at(x) - at(kept[kept.length - 1]) < least ? kept : [...kept, x]), []);
    };
    const axisX = (log) => ({
      ...axis(spec.x, log),
      beginAtZero: false,
      min: xs[0],
      max: xs[xs.length - 1],
      afterBuildTicks: (scale) => { if (xs.length <= 16) scale.ticks = apart(log).map((value) => ({ value })); },
    });
    const scales = { x: axisX(spec.x.log), y: axis(spec.y, spec.y.log) };
    const chart = new Chart(canvas, {
      type: "line",
      data: {
        datasets: spec.lines.map((line, i) => ({
          label: line.label,
          data: line.points,
          borderColor: colours[i % colours.length],
          backgroundColor: colours[i % colours.length],
          borderDash: dashes[i % dashes.length],
          pointStyle: markers[i % markers.length],
          borderWidth: 2,
          pointRadius: line.points.length > 60 ? 0 : 3,
          tension: 0,
          spanGaps: false,
          clip: 4,
        })),
      },
      options: {
        animation: false,
        maintainAspectRatio: false,
        interaction: { mode: "x", intersect: false },
        scales,
        plugins: {
          legend: { labels: { color: css("--ink"), usePointStyle: true, boxHeight: 7 } },
          tooltip: {
            callbacks: {
              title: (items) => items.length ? format(items[0].parsed.x, spec.x.unit) : "",
              label: (item) => item.dataset.label + ": " + format(item.parsed.y, spec.y.unit),
            },
          },
        },
      },
    });
    ["x", "y"].forEach((which) => {
      let log = spec[which].log;
      const button = element("button", which + ": " + (log ? "log" : "linear"), { type: "button" });
      button.addEventListener("click", () => {
        log = !log;
        chart.options.scales[which] = which === "x" ? axisX(log) : axis(spec[which], log);
        button.textContent = which + ": " + (log ? "log" : "linear");
        chart.update();
      });
      tools.append(button, " ");
    });
  };

  const fillContents = () => {
    const nav = document.getElementById("contents");
    document.querySelectorAll("main section").forEach((section) => {
      nav.append(element("a", section.querySelector("h2").textContent, { href: "#" + section.id }));
    });
  };

  const filterRows = () => {
    const input = document.getElementById("filter");
    if (!input) return;
    input.addEventListener("input", () => {
      const wanted = input.value.toLowerCase();
      document.querySelectorAll("details.quantity").forEach((row) => {
        row.hidden = wanted !== "" && !row.textContent.toLowerCase().includes(wanted);
      });
    });
  };

  window.page = { colours, css, element, format };  // for the scripts of single pages
  fillContents();
  filterRows();
  data.charts.forEach(drawChart);
})();
