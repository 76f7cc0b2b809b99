"use strict";
// Zooms and moves the map by its viewBox. Marks and names keep their size on the screen; of names that would
// lie on each other the more important stays: splits, then ranked sites, then authorities.
(() => {
  const svg = document.getElementById("map");
  const scale = document.getElementById("map-scale");
  const kmPerUnit = Number(svg.dataset.kmPerUnit);
  const [, , width, height] = svg.getAttribute("viewBox").split(" ").map(Number);
  const pins = [...svg.querySelectorAll(".pin")].map((g) => ({ g, x: Number(g.dataset.x), y: Number(g.dataset.y) }));
  const order = ["site", "pair", "single", "authority"];
  const ranked = order.flatMap((name) => pins.filter((p) => p.g.classList.contains(name)));
  const mostZoom = 60;
  let view = { x: 0, y: 0, w: width };

  const drawScale = (unit) => {
    const most = 130 * unit * kmPerUnit;
    const power = 10 ** Math.floor(Math.log10(most));
    const km = power * [5, 2, 1].find((m) => m * power <= most);
    scale.hidden = false;
    scale.style.width = km / kmPerUnit / unit + "px";
    scale.textContent = Number(km.toPrecision(2)).toLocaleString("en") + " km";
    scale.style.bottom = svg.parentNode.clientHeight - svg.clientHeight + 10 + "px";
  };
  // A block of text tries its own side of the mark, the other one, then higher and lower.
  const texts = (g) => [...g.querySelectorAll(".label")].map((node) => ({
    node, x: Number(node.getAttribute("x")), anchor: node.getAttribute("text-anchor"),
  }));
  ranked.forEach((p) => { p.texts = texts(p.g); });
  const mirrored = { start: "end", end: "start", middle: "middle" };
  const spots = [0, -30, 30, -60, 60].flatMap((dy) => [[false, dy], [true, dy]]);
  const put = (labels, [mirror, dy]) => labels.forEach(({ node, x, anchor }) => {
    node.setAttribute("x", mirror ? -x : x);
    node.setAttribute("text-anchor", mirror ? mirrored[anchor] : anchor);
    node.setAttribute("dy", dy);
  });
  const declutter = () => {
    const paper = svg.getBoundingClientRect();
    const taken = [...document.querySelectorAll("#map-tools button")].map((b) => b.getBoundingClientRect());
    const meets = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const inside = (a) => a.left >= paper.left && a.right <= paper.right && a.top >= paper.top && a.bottom <= paper.bottom;
    const free = (box) => inside(box) && !taken.some((other) => meets(box, other));
    const boxes = (nodes) => nodes.map((n) => n.getBoundingClientRect());
    const shown = ranked.filter(({ g }) => !g.closest(".split") || g.closest(".split").style.display !== "none");
    shown.forEach(({ g }) => { g.style.display = ""; });
    taken.push(...boxes(shown.map(({ g }) => g.querySelector(".target")).filter(Boolean)));
    shown.forEach(({ g, texts: labels }) => {
      const circle = g.querySelector("circle");
      if (circle) {
        const [box] = boxes([circle]);
        if (free(box)) taken.push(box);
        else g.style.display = "none";
        return;
      }
      const nodes = labels.map(({ node }) => node);
      nodes.forEach((n) => { n.style.display = ""; });
      const movable = !g.classList.contains("authority");
      const spot = (movable ? spots : spots.slice(0, 1)).find((candidate) => {
        put(labels, candidate);
        return boxes(nodes).every(free);
      });
      if (spot) taken.push(...boxes(nodes));
      else nodes.forEach((n) => { n.style.display = "none"; });
    });
  };
  // What a circle of the legend stands for follows the zoom.
  const bubbles = [...document.querySelectorAll(".legend [data-mw]")];
  const drawBubbles = (unit) => bubbles.forEach((b) => {
    const mw = Number(b.dataset.mw) * unit * unit;
    b.textContent = Number(mw.toPrecision(2)).toLocaleString("en") + " MW";
  });
  let waiting = false;
  const draw = () => {
    waiting = false;
    const h = view.w * height / width;
    svg.setAttribute("viewBox", [view.x, view.y, view.w, h].join(" "));
    const unit = view.w / Math.max(1, svg.clientWidth);
    pins.forEach(({ g, x, y }) => g.setAttribute("transform", `translate(${x} ${y}) scale(${unit})`));
    declutter();
    drawScale(unit);
    drawBubbles(unit);
  };
  const show = (x, y, w) => {
    w = Math.min(width, Math.max(width / mostZoom, w));
    const h = w * height / width;
    view = { x: Math.min(width - w, Math.max(0, x)), y: Math.min(height - h, Math.max(0, y)), w };
    if (!waiting) {
      waiting = true;
      requestAnimationFrame(draw);
    }
  };
  // Zooms so that the place under (px, py), shares of the map, stays.
  const zoom = (factor, px = 0.5, py = 0.5) => {
    const w = Math.min(width, Math.max(width / mostZoom, view.w * factor));
    show(view.x + (view.w - w) * px, view.y + (view.w - w) * py * height / width, w);
  };
  const share = (e) => {
    const box = svg.getBoundingClientRect();
    return [(e.clientX - box.left) / box.width, (e.clientY - box.top) / box.height];
  };

  svg.addEventListener("wheel", (e) => {
    if (!e.ctrlKey && !e.metaKey) return;
    e.preventDefault();
    zoom(Math.exp(Math.max(-100, Math.min(100, e.deltaY)) / 250), ...share(e));
  }, { passive: false });
  svg.addEventListener("dblclick", (e) => zoom(0.5, ...share(e)));
  const fingers = new Map();
  svg.addEventListener("pointerdown", (e) => {
    fingers.set(e.pointerId, e);
    svg.setPointerCapture(e.pointerId);
  });
  svg.addEventListener("pointermove", (e) => {
    const before = fingers.get(e.pointerId);
    if (!before) return;
    const unit = view.w / svg.clientWidth;
    const other = [...fingers.values()].find((f) => f.pointerId !== e.pointerId);
    if (other) {
      const apart = (a) => Math.max(10, Math.hypot(a.clientX - other.clientX, a.clientY - other.clientY));
      zoom(apart(before) / apart(e), ...share(other));
    } else show(view.x - (e.clientX - before.clientX) * unit, view.y - (e.clientY - before.clientY) * unit, view.w);
    fingers.set(e.pointerId, e);
  });
  ["pointerup", "pointercancel"].forEach((name) => svg.addEventListener(name, (e) => fingers.delete(e.pointerId)));
  svg.addEventListener("keydown", (e) => {
    const step = view.w / 8;
    const moves = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] };
    if (moves[e.key]) show(view.x + moves[e.key][0], view.y + moves[e.key][1], view.w);
    else if (e.key === "+" || e.key === "=") zoom(0.7);
    else if (e.key === "-") zoom(1 / 0.7);
    else if (e.key === "0") show(0, 0, width);
    else return;
    e.preventDefault();
  });
  const on = (id, action) => document.getElementById(id).addEventListener("click", action);
  on("map-in", () => zoom(0.6));
  on("map-out", () => zoom(1 / 0.6));
  on("map-all", () => show(0, 0, width));

  // One split at a time; -1: none.
  const layers = [...document.querySelectorAll("#map-tools button[data-layer]")];
  const layer = (chosen) => {
    layers.forEach((b) => b.setAttribute("aria-pressed", String(Number(b.dataset.layer) === chosen)));
    svg.querySelectorAll(".split").forEach((g) => {
      g.style.display = g.classList.contains("s" + chosen) ? "" : "none";
    });
    show(view.x, view.y, view.w);
  };
  layers.forEach((b) => b.addEventListener("click", () => {
    layer(b.getAttribute("aria-pressed") === "true" ? -1 : Number(b.dataset.layer));
  }));
  document.querySelectorAll("[data-x]:not(.pin)").forEach((row) => row.addEventListener("click", () => {
    const w = width / 8;
    if (row.dataset.layer !== undefined) layer(Number(row.dataset.layer));
    show(Number(row.dataset.x) - w / 2, Number(row.dataset.y) - w * height / width / 2, w);
    svg.scrollIntoView({ block: "center", behavior: "smooth" });
  }));

  svg.querySelectorAll(".scale").forEach((g) => { g.style.display = "none"; });
  layer(0);
  new ResizeObserver(() => show(view.x, view.y, view.w)).observe(svg);
})();
