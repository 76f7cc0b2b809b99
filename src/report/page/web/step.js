"use strict";
// The zoomable timeline. A row is a stream with its operations as rectangles, or a quantity over time as steps.
// Numbers of an operation stand one after another: row, kind, microbatch (-1: none), start and duration in
// microseconds. Points of a quantity: time, value.
(() => {
  const data = JSON.parse(document.getElementById("timeline-data").textContent);
  const box = document.getElementById("timeline-box");
  const canvas = document.getElementById("timeline");
  const axis = document.getElementById("timeline-axis");
  const tip = document.getElementById("timeline-tip");
  const context = canvas.getContext("2d");
  const colours = ["#0072B2", "#8C6D31", "#009E73", "#56B4E9", "#6B4C9A", "#51606F", "#E69F00", "#F0C75E", "#D55E00", "#CC79A7", "#B08BD9", "#C0392B", "#A0A7AE"];
  const css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const fields = 5;
  const rowHeight = 15;
  const plotHeight = 30;
  const headHeight = 20;
  const axisHeight = 24;
  const font = "11px system-ui, sans-serif";
  const least = data.end / 1e7;
  let margin = 190;
  let from = 0;
  let to = data.end;
  let hovered = null;
  let sharpness = 0;  // dots per pixel; 0: the screen's

  // Where each row stands, below the name of its stage.
  const tops = [];
  const heads = [];
  let bottom = 0;
  const heightOf = (i) => (data.rows[i].points ? plotHeight : rowHeight);
  data.rows.forEach((row, i) => {
    if (i === 0 || row.stage !== data.rows[i - 1].stage) {
      heads.push({ top: bottom, text: row.stage });
      bottom += headHeight;
    }
    tops.push(bottom);
    bottom += heightOf(i);
  });
  const byRow = data.rows.map(() => []);
  for (let i = 0; i < data.operations.length; i += fields) byRow[data.operations[i]].push(i);
  const startOf = (i) => data.operations[i + 3];
  const endOf = (i) => data.operations[i + 3] + data.operations[i + 4];

  // The first place of a sorted list that does not come before.
  const firstOf = (length, before) => {
    let low = 0;
    let high = length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (before(middle)) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const prefixed = (value, units, digits) => {
    const [factor, name] = units.find(([f]) => Math.abs(value) >= f) || units[units.length - 1];
    return Number((value / factor).toPrecision(digits)) + " " + name;
  };
  const timeUnits = [[1e6, "s"], [1e3, "ms"], [1, "us"], [1e-3, "ns"]];
  const time = (us) => (us === 0 ? "0" : prefixed(us, timeUnits, 5));
  const shown = {
    bytes: (v) => prefixed(v, [[1e12, "TB"], [1e9, "GB"], [1e6, "MB"], [1e3, "kB"], [1, "B"]], 4),
    share: (v) => Number((100 * v).toPrecision(3)) + "%",
  };

  const x = (us) => margin + (us - from) / (to - from) * (canvas.clientWidth - margin);
  const us = (px) => from + (px - margin) / (canvas.clientWidth - margin) * (to - from);

  // Ticks as many as fit; their labels in the unit of the last of them and precise enough to differ.
  const ticks = (width) => {
    const rough = (to - from) / Math.max(1, (width - margin) / 100);
    const power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((m) => m * power).find((t) => t >= rough);
    const [factor, unit] = timeUnits.find(([f]) => to >= f) || timeUnits[3];
    const decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(step / factor))));
    const out = [];
    for (let n = Math.ceil(from / step); n * step <= to; ++n)
      out.push([n * step, n === 0 ? "0" : (n * step / factor).toFixed(decimals) + " " + unit]);
    return out;
  };

  const fit = (target, height) => {
    const scale = sharpness || window.devicePixelRatio || 1;
    const width = target.clientWidth;
    target.style.height = height + "px";
    target.width = Math.round(width * scale);
    target.height = Math.round(height * scale);
    const drawing = target.getContext("2d");
    drawing.setTransform(scale, 0, 0, scale, 0, 0);
    drawing.font = font;
    return drawing;
  };

  const drawAxis = (marks) => {
    const width = axis.clientWidth;
    const drawing = fit(axis, axisHeight);
    drawing.fillStyle = css("--soft");
    drawing.strokeStyle = css("--line");
    marks.forEach(([t, label]) => {
      const at = x(t);
      const wide = drawing.measureText(label).width;
      drawing.fillText(label, Math.max(margin, Math.min(at - wide / 2, width - wide - 1)), 14);
      drawing.beginPath();
      drawing.moveTo(Math.round(at) + 0.5, 18);
      drawing.lineTo(Math.round(at) + 0.5, axisHeight);
      drawing.stroke();
    });
  };

  // So much of a text as there is room for.
  const cut = (text, room) => {
    if (context.measureText(text).width <= room) return text;
    let length = text.length;
    while (length > 1 && context.measureText(text.slice(0, length) + "\u2026").width > room) --length;
    return text.slice(0, length) + "\u2026";
  };

  const isLight = (colour) => {
    const [r, g, b] = [1, 3, 5].map((i) => parseInt(colour.slice(i, i + 2), 16));
    return 0.299 * r + 0.587 * g + 0.114 * b > 150;
  };

  const drawOperation = (i, top, width) => {
    const left = Math.max(margin, x(startOf(i)));
    const right = Math.min(width, x(endOf(i)));
    const wide = right - left;
    const colour = colours[data.operations[i + 1]];
    context.fillStyle = colour;
    context.fillRect(left, top, Math.max(wide > 4 ? wide - 0.6 : wide, 0.6), rowHeight - 2);
    const microbatch = data.operations[i + 2];
    if (microbatch < 0 || wide < 9) return;
    const label = String(microbatch);
    if (context.measureText(label).width + 5 > wide) return;
    context.fillStyle = isLight(colour) ? "#1d2733" : "#fff";
    context.fillText(label, left + 3, top + rowHeight - 5);
  };

  // Where operations are narrower than a pixel: the kind that takes most of it, as dense as all of them.
  const drawDense = (operations, top, width) => {
    const columns = Math.ceil(width - margin);
    const kinds = data.kinds.length;
    const busy = new Float64Array(columns * kinds);
    operations.forEach((i) => {
      const left = Math.max(0, x(startOf(i)) - margin);
      const right = Math.min(columns, x(endOf(i)) - margin);
      for (let c = Math.floor(left); c < right; ++c)
        busy[c * kinds + data.operations[i + 1]] += Math.min(c + 1, right) - Math.max(c, left);
    });
    for (let c = 0; c < columns; ++c) {
      let most = 0;
      let all = 0;
      for (let k = 0; k < kinds; ++k) {
        all += busy[c * kinds + k];
        if (busy[c * kinds + k] > busy[c * kinds + most]) most = k;
      }
      if (all <= 0) continue;
      context.globalAlpha = Math.min(1, 0.15 + 0.85 * all);
      context.fillStyle = colours[most];
      context.fillRect(margin + c, top, 1.02, rowHeight - 2);
    }
    context.globalAlpha = 1;
  };

  const drawOperations = (row, width) => {
    const all = byRow[row];
    const first = firstOf(all.length, (n) => endOf(all[n]) < from);
    const end = firstOf(all.length, (n) => startOf(all[n]) <= to);
    const visible = all.slice(first, end);
    if (visible.length > (width - margin) / 2) drawDense(visible, tops[row], width);
    else visible.forEach((i) => drawOperation(i, tops[row], width));
  };

  const drawQuantity = (row, width) => {
    const { points, most } = data.rows[row];
    const floor = tops[row] + plotHeight - 4;
    const y = (v) => floor - Math.min(1, v / most) * (plotHeight - 8);
    const count = points.length / 2;
    const first = Math.max(0, firstOf(count, (n) => points[2 * n] <= from) - 1);
    context.fillStyle = data.rows[row].unit === "bytes" ? "#8C6D31" : "#0072B2";
    context.globalAlpha = 0.75;
    context.beginPath();
    context.moveTo(margin, floor);
    let height = floor;
    for (let n = first; n < count && points[2 * n] <= to; ++n) {
      const at = Math.max(margin, x(points[2 * n]));
      context.lineTo(at, height);
      height = y(points[2 * n + 1]);
      context.lineTo(at, height);
    }
    const end = Math.min(width, x(Math.min(to, data.end)));
    context.lineTo(end, height);
    context.lineTo(end, floor);
    context.fill();
    context.globalAlpha = 1;
    context.fillStyle = css("--line");
    context.fillRect(margin, floor, width - margin, 1);
  };

  const drawHovered = () => {
    if (!hovered) return;
    context.strokeStyle = css("--ink");
    if (hovered.operation >= 0) {
      const left = Math.max(margin, x(startOf(hovered.operation)));
      const right = Math.min(canvas.clientWidth, x(endOf(hovered.operation)));
      context.strokeRect(left - 0.5, tops[hovered.row] - 0.5, Math.max(right - left, 1) + 1, rowHeight - 1);
    }
    context.globalAlpha = 0.5;
    context.beginPath();
    context.moveTo(Math.round(hovered.x) + 0.5, 0);
    context.lineTo(Math.round(hovered.x) + 0.5, bottom);
    context.stroke();
    context.globalAlpha = 1;
  };

  const draw = () => {
    const width = canvas.clientWidth;
    // On narrow screens the names of rows give way, so that some of the time is always left to draw.
    margin = Math.floor(Math.min(190, Math.max(116, width * 0.27), width * 0.6));
    if (width - margin < 1) return;
    fit(canvas, bottom + 4);
    const marks = ticks(width);
    drawAxis(marks);
    context.fillStyle = css("--line");
    marks.forEach(([t]) => context.fillRect(Math.round(x(t)), 0, 1, bottom));
    heads.forEach(({ top, text }) => {
      context.fillStyle = css("--ink");
      context.font = "600 " + font;
      context.fillText(text, 0, top + headHeight - 5);
      context.font = font;
    });
    data.rows.forEach((row, i) => {
      const plot = Boolean(row.points);
      context.fillStyle = css("--soft");
      context.fillText(cut(row.name, margin - 8), 0, tops[i] + (plot ? plotHeight / 2 + 3 : rowHeight - 5));
      if (plot) drawQuantity(i, width);
      else drawOperations(i, width);
    });
    drawHovered();
  };

  let asked = false;
  const redraw = () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      draw();
    });
  };

  const view = (start, length) => {
    const span = Math.min(data.end, Math.max(least, length));
    from = Math.min(Math.max(0, start), data.end - span);
    to = from + span;
    hovered = null;
    tip.style.display = "none";
    redraw();
  };
  const zoom = (factor, at) => view(at - (at - from) * factor, (to - from) * factor);
  const middle = () => (from + to) / 2;

  const rowAt = (py) => tops.findIndex((top, i) => py >= top && py < top + heightOf(i));
  const operationAt = (row, moment) => {
    const all = byRow[row];
    const next = firstOf(all.length, (n) => endOf(all[n]) < moment);
    return next < all.length && startOf(all[next]) <= moment ? all[next] : -1;
  };

  const describe = (row, operation, moment) => {
    const { stage, name, points, unit } = data.rows[row];
    if (points) {
      const at = firstOf(points.length / 2, (n) => points[2 * n] <= moment) - 1;
      return at < 0 ? "" : stage + ", " + name + ": " + shown[unit](points[2 * at + 1]) + " at " + time(moment);
    }
    if (operation < 0) return "";
    const [, kind, microbatch, start, length] = data.operations.slice(operation, operation + fields);
    const of = microbatch < 0 ? "" : ", microbatch " + microbatch;
    return stage + ", " + name + ": " + data.kinds[kind] + of + ", " + time(length) + " from " + time(start);
  };

  const showTip = (event, text) => {
    tip.style.display = text ? "block" : "none";
    if (!text) return;
    tip.textContent = text;
    const left = canvas.offsetLeft + event.offsetX + 14;
    tip.style.left = Math.max(4, Math.min(left, box.clientWidth - tip.offsetWidth - 4)) + "px";
    tip.style.top = canvas.offsetTop + event.offsetY + 18 + "px";
  };

  const hover = (event) => {
    const row = rowAt(event.offsetY);
    const inside = row >= 0 && event.offsetX >= margin;
    const operation = inside && !data.rows[row].points ? operationAt(row, us(event.offsetX)) : -1;
    hovered = event.offsetX >= margin ? { x: event.offsetX, row, operation } : null;
    showTip(event, inside ? describe(row, operation, us(event.offsetX)) : "");
    redraw();
  };

  // One pointer moves, two zoom; a wheel zooms with the control key, as browsers report a pinched touchpad.
  const held = new Map();
  let grabbed = null;
  const grab = () => {
    const [a, b] = [...held.values()];
    grabbed = held.size === 0 ? null : { from, to, x: b === undefined ? a : (a + b) / 2, apart: b === undefined ? 0 : Math.abs(a - b) };
  };
  const drag = () => {
    const [a, b] = [...held.values()];
    const wide = canvas.clientWidth - margin;
    const span = grabbed.to - grabbed.from;
    const at = b === undefined ? a : (a + b) / 2;
    const length = grabbed.apart > 0 && b !== undefined ? span * grabbed.apart / Math.max(8, Math.abs(a - b)) : span;
    const fixed = grabbed.from + (grabbed.x - margin) / wide * span;
    view(fixed - (at - margin) / wide * length, length);
  };

  canvas.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaY || event.deltaX : event.deltaX;
    if (event.ctrlKey || event.metaKey) zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 300))), us(event.offsetX));
    else if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) view(from + sideways / (canvas.clientWidth - margin) * (to - from), to - from);
    else return;
    event.preventDefault();
  }, { passive: false });
  canvas.addEventListener("pointerdown", (event) => {
    held.set(event.pointerId, event.offsetX);
    canvas.setPointerCapture(event.pointerId);
    grab();
  });
  const release = (event) => {
    held.delete(event.pointerId);
    grab();
  };
  canvas.addEventListener("pointerup", (event) => {
    release(event);
    if (event.pointerType !== "mouse") hover(event);
  });
  canvas.addEventListener("pointercancel", release);
  canvas.addEventListener("pointermove", (event) => {
    if (!grabbed) {
      hover(event);
      return;
    }
    held.set(event.pointerId, event.offsetX);
    drag();
  });
  canvas.addEventListener("pointerleave", () => {
    tip.style.display = "none";
    hovered = null;
    redraw();
  });
  canvas.addEventListener("dblclick", (event) => zoom(0.25, us(event.offsetX)));
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
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  // On paper every stage is a picture of its own: a page cannot end within one.
  const paper = { width: 690, sharpness: 2 };
  const pictureOf = (top, end) => {
    const picture = document.createElement("canvas");
    picture.className = "timeline-stage";
    picture.width = canvas.width;
    picture.height = Math.round((end - top) * sharpness);
    picture.getContext("2d").drawImage(canvas, 0, -Math.round(top * sharpness));
    return picture;
  };
  const unprint = () => {
    box.querySelectorAll(".timeline-stage").forEach((picture) => picture.remove());
    box.style.width = canvas.style.display = "";
    sharpness = 0;
    draw();
  };
  window.addEventListener("beforeprint", () => {
    unprint();
    hovered = null;
    box.style.width = paper.width + "px";
    sharpness = paper.sharpness;
    draw();
    canvas.before(...heads.map(({ top }, i) => pictureOf(top, i + 1 < heads.length ? heads[i + 1].top : bottom + 4)));
    canvas.style.display = "none";
  });
  window.addEventListener("afterprint", unprint);

  const used = new Set();
  for (let i = 1; i < data.operations.length; i += fields) used.add(data.operations[i]);
  const key = document.getElementById("timeline-key");
  data.kinds.forEach((name, kind) => {
    if (!used.has(kind)) return;
    const label = document.createElement("span");
    const swatch = document.createElement("i");
    swatch.style.background = colours[kind];
    label.append(swatch, name);
    key.append(label);
  });
  draw();
})();
