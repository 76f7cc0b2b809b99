// Scripts of the pages, run by Node on documents that are not there: ticks of axes, and a timeline on screens of any width.
//   node scripts.mjs FOLDER-OF-SCRIPTS
import assert from "node:assert/strict";
import fs from "node:fs";
import vm from "node:vm";

const folder = process.argv[2];
const anything = () => new Proxy(function () {}, {
  get: (target, name) => {
    if (name === Symbol.toPrimitive) return () => 0;
    if (name in target) return target[name];
    return name === "measureText" ? () => ({ width: 10 }) : anything();
  },
  set: () => true,
  apply: () => anything(),
});

const world = (texts, width) => {
  const element = () => new Proxy({ clientWidth: width, style: {}, append() {}, addEventListener() {}, getContext: anything }, {
    get: (target, name) => (name in target ? target[name] : anything()),
    set: (target, name, value) => { target[name] = value; return true; },
  });
  const window = { addEventListener() {}, matchMedia: () => ({ addEventListener() {} }), devicePixelRatio: 1 };
  return vm.createContext({
    window, console, matchMedia: window.matchMedia, addEventListener() {}, innerWidth: width, requestAnimationFrame: (f) => f(),
    getComputedStyle: () => ({ getPropertyValue: () => "#000" }),
    document: {
      documentElement: {},
      getElementById: (id) => (id in texts ? { textContent: texts[id], append() {} } : id === "filter" ? null : element()),
      querySelectorAll: () => [],
      createElement: element,
    },
  });
};
const run = (name, context) => vm.runInContext(fs.readFileSync(`${folder}/${name}`, "utf8"), context);

const page = world({ data: '{"charts":[]}' }, 390);
run("report.js", page);
const { counted, format, niceTicks } = page.window.page;
assert.deepEqual([counted("1", "year"), counted("1.5", "year"), counted("1", "h")], ["1 year", "1.5 years", "1 h"]);
assert.equal(format(365 * 86400, "seconds"), "1 year");
for (const high of [1.5e2, 3e2, 1e3, 1e5, 1e9, 1e20]) {
  const ticks = niceTicks(110, high, { unit: "number" }, true, 8);
  assert.ok(ticks.length >= 3 && ticks.length <= 10, `logarithmic axis to ${high}: ${ticks}`);
  assert.ok(ticks.every((v) => v >= 109 && v <= high * 1.01), `ticks inside 110 to ${high}: ${ticks}`);
}
assert.ok(niceTicks(0.15, 200, { unit: "seconds" }, true, 2).length <= 5, "ticks of a low chart stand on each other");
const year = 365 * 86400;
assert.deepEqual([...niceTicks(year / 12, 5 * year, { unit: "seconds" }, false, 8)].map((v) => v / year), [1, 2, 3, 4, 5]);

const timeline = JSON.stringify({ end: 100, kinds: ["forward"], operations: Array.from({ length: 400 }, (_, i) => [0, 0, -1, i / 4, 0.2]).flat(),
  rows: [{ stage: "stage 0", name: "compute" }, { stage: "stage 0", name: "memory", unit: "bytes", most: 2, points: [0, 1, 50, 2] }] });
for (const width of [0, 1, 60, 116, 140, 150, 390, 1280]) run("step.js", world({ "timeline-data": timeline }, width));
console.log("scripts: ok");
