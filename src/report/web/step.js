"use strict";
// The zoomable timeline: rows are streams, rectangles operations. Numbers of an operation stand one after
// another: row, kind, microbatch (-1: none), start and duration in microseconds.
(() => {
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const canvas = document.getElementById("timeline");
  const tip = document.getElementById("timeline-tip");
  const context = canvas.getContext("2d");
  const colours = ["#0072B2", "#8C6D31", "#009E73", "#56B4E9", "#5B5B5B", "#1d2733", "#E69F00", "#F0C75E", "#D55E00", "#CC79A7", "#B08BD9", "#C0392B", "#7F8C8D"];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const fields = 5;
  const margin = 232;
  const rowHeight = 15;
  const stageGap = 7;
  const axisHeight = 26;
  const least = data.end / 1e7;
  let from = 0;
  let to = data.end;

  // Where each row stands: a gap between stages.
  const tops = [];
  let bottom = axisHeight;
  data.rows.forEach((row, i) => {
    if (i === 0 || row.stage !== data.rows[i - 1].stage) bottom += stageGap;
    tops.push(bottom);
    bottom += rowHeight;
  });
  const byRow = data.rows.map(() => []);
  for (let i = 0; i < data.operations.length; i += fields) byRow[data.operations[i]].push(i);

  const time = (us) => {
    const units = [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]];
    const [factor, name] = units.find(([f]) => Math.abs(us) >= f) || [1, "us"];
    return Number((us / factor).toPrecision(5)) + " " + name;
  };
  const x = (us) => margin + (us - from) / (to - from) * (canvas.clientWidth - margin);
  const us = (px) => from + (px - margin) / (canvas.clientWidth - margin) * (to - from);

  const drawAxis = (width) => {
    const rough = (to - from) / Math.max(2, (width - margin) / 130);
    const power = 10 ** Math.floor(Math.log10(rough));
    const tick = [1, 2, 5, 10].map((m) => m * power).find((t) => t >= rough);
    context.fillStyle = css("--soft");
    context.strokeStyle = css("--line");
    for (let t = Math.ceil(from / tick) * tick; t <= to; t += tick) {
      const at = Math.round(x(t)) + 0.5;
      context.beginPath();
      context.moveTo(at, axisHeight - 6);
      context.lineTo(at, bottom);
      context.stroke();
      context.fillText(time(t), at + 3, axisHeight - 10);
    }
  };

  const drawRow = (row, width) => {
    let drawn = -1;
    byRow[row].forEach((i) => {
      const start = data.operations[i + 3];
      const end = start + data.operations[i + 4];
      if (end < from || start > to) return;
      const left = Math.max(margin, x(start));
      const right = Math.min(width, x(end));
      if (right <= drawn) return;  // behind what is there, at this scale
      const shown = Math.max(right - left, 0.6);
      context.fillStyle = colours[data.operations[i + 1] % colours.length];
      context.fillRect(left, tops[row], shown > 4 ? shown - 0.6 : shown, rowHeight - 2);
      drawn = right;
      const microbatch = data.operations[i + 2];
      if (microbatch >= 0 && shown > 9 * String(microbatch).length) {
        context.fillStyle = "#fff";
        context.fillText(String(microbatch), left + 3, tops[row] + rowHeight - 5);
      }
    });
  };

  const draw = () => {
    const scale = window.devicePixelRatio || 1;
    const width = canvas.clientWidth;
    canvas.style.height = bottom + 4 + "px";
    canvas.width = width * scale;
    canvas.height = (bottom + 4) * scale;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.font = "11px system-ui, sans-serif";
    drawAxis(width);
    data.rows.forEach((row, i) => {
      const first = i === 0 || row.stage !== data.rows[i - 1].stage;
      context.fillStyle = css(first ? "--ink" : "--soft");
      if (first) context.fillText(row.stage, 0, tops[i] + rowHeight - 5);
      context.fillStyle = css("--soft");
      context.fillText(row.name.slice(0, 27), 66, tops[i] + rowHeight - 5);
      drawRow(i, width);
    });
  };

  const view = (start, length) => {
    const span = Math.min(data.end, Math.max(least, length));
    from = Math.min(Math.max(0, start), data.end - span);
    to = from + span;
    tip.style.display = "none";
    draw();
  };
  const zoom = (factor, at) => view(at - (at - from) * factor, (to - from) * factor);
  const middle = () => (from + to) / 2;

  const operationAt = (px, py) => {
    const row = tops.findIndex((top) => py >= top && py < top + rowHeight);
    const moment = us(px);
    if (row < 0 || px < margin) return -1;
    const found = byRow[row].find((i) => data.operations[i + 3] <= moment && moment <= data.operations[i + 3] + data.operations[i + 4]);
    return found === undefined ? -1 : found;
  };

  const describe = (i) => {
    const [row, kind, microbatch, start, length] = data.operations.slice(i, i + fields);
    const of = microbatch < 0 ? "" : ", microbatch " + microbatch;
    return data.rows[row].stage + ": " + data.kinds[kind] + of + ", " + time(length) + " from " + time(start);
  };

  let grabbed = null;
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(event.deltaY > 0 ? 1.25 : 0.8, us(event.offsetX));
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    grabbed = { x: event.offsetX, from };
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointerup", () => { grabbed = null; });
  canvas.addEventListener("pointermove", (event) => {
    if (grabbed) {
      view(grabbed.from - (event.offsetX - grabbed.x) / (canvas.clientWidth - margin) * (to - from), to - from);
      return;
    }
    const found = operationAt(event.offsetX, event.offsetY);
    tip.style.display = found < 0 ? "none" : "block";
    if (found < 0) return;
    tip.textContent = describe(found);
    tip.style.left = Math.max(0, Math.min(event.offsetX + 16, canvas.clientWidth - tip.offsetWidth)) + "px";
    tip.style.top = canvas.offsetTop + event.offsetY + 18 + "px";
  });
  canvas.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  canvas.addEventListener("dblclick", () => view(0, data.end));
  canvas.addEventListener("keydown", (event) => {
    const step = (to - from) / 5;
    const actions = {
      ArrowLeft: () => view(from - step, to - from),
      ArrowRight: () => view(from + step, to - from),
      "+": () => zoom(0.8, middle()),
      "-": () => zoom(1.25, middle()),
      0: () => view(0, data.end),
    };
    if (!actions[event.key]) return;
    event.preventDefault();
    actions[event.key]();
  });
  document.getElementById("timeline-all").addEventListener("click", () => view(0, data.end));
  document.getElementById("timeline-in").addEventListener("click", () => zoom(0.5, middle()));
  document.getElementById("timeline-out").addEventListener("click", () => zoom(2, middle()));
  window.addEventListener("resize", draw);

  const used = new Set();
  for (let i = 1; i < data.operations.length; i += fields) used.add(data.operations[i]);
  const key = document.getElementById("timeline-key");
  data.kinds.forEach((name, kind) => {
    if (!used.has(kind)) return;
    const label = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.style.background = colours[kind % colours.length];
    label.append(swatch, name);
    key.append(label);
  });
  draw();
})();
