// How long the page of `trainyard serve` takes to follow a change: from the input event of a slider to the frame in which
// the plan, the networks, the months and the map are drawn, in headless Chromium. The mapping is held.
//
//   page_changes.mjs PROGRAM [--changes N]     exit status 77 where Chromium or npm's packages are missing
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "web");
const program = process.argv[2];
const changes = process.argv[3] === "--changes" ? Number(process.argv[4]) : 21;
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
if (!program || !chromium || !fs.existsSync(path.join(web, "node_modules", "playwright-core"))) {
  console.log("skipped: needs PROGRAM, chromium and web/node_modules (tools/bootstrap web test)");
  process.exit(77);
}
const playwright = createRequire(path.join(web, "package.json"))("playwright-core");

const kOwn = `title = "A cluster of one's own"
[facility]
devices = 16384
hb_domain = "dgx-h100"
[model]
name = "llama3-70b"
[mapping]
tensor = 8
pipeline = 4
virtual_stages = 4
[network]
scale_out_rate = "400 Gbps"
`;
const kSettled_ms = 1200; // after which nothing of a change is still under way
const kSlow = 5; // times as long, for what follows the traffic of a million hosts

/** Notes in `seen` of each part of the page when it was first and last drawn after an input. */
function watch() {
  const parts = { plan: ".results > .figures", networks: "[aria-label=Networks]", months: "[aria-label^=Months]", map: "[aria-label^=Places]" };
  window.seen = {};
  let began = 0;
  addEventListener("input", (event) => {
    began = event.timeStamp;
    window.seen = {};
  }, true);
  const drawn = () => new Promise((done) => requestAnimationFrame(() => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => done(performance.now());
    port2.postMessage(0);
  }));
  new MutationObserver(async (records) => {
    const of = began;
    const now = window.seen;
    const shown = records.filter((r) => r.type !== "attributes" || r.attributeName === "src");
    // A part that comes in place of a refusal is a new node in its parent.
    const nodes = shown.flatMap((r) => [r.target, ...r.addedNodes]).map((node) => (node.nodeType === 1 ? node : node.parentElement));
    const touched = Object.keys(parts).filter((name) => nodes.some((node) => node?.closest(parts[name]) || (!node?.matches(".results") && node?.querySelector(parts[name]))));
    if (of === 0 || touched.length === 0) return;
    await Promise.all([...document.querySelectorAll(".drawing img")].map((image) => image.decode().catch(() => {})));
    const at = (await drawn()) - of;
    for (const name of touched) now[name] = { first: now[name]?.first ?? at, last: at };
  }).observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true });
}

const server = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
const url = await new Promise((resolve) => {
  let out = "";
  server.stdout.on("data", (data) => {
    out += data;
    const found = /http:\S+/.exec(out);
    if (found) resolve(found[0]);
  });
});
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
await page.goto(url);
await page.evaluate(watch);

async function show(name) {
  if (name !== "own") return page.locator(".top select").selectOption(name);
  await page.getByRole("tab", { name: "TOML" }).click();
  await page.getByRole("textbox", { name: "Scenario as TOML" }).fill(kOwn);
  await page.getByRole("tab", { name: "Form" }).click();
}

/** The median, and the worst of ten but one. */
function shares(times) {
  const sorted = times.sort((a, b) => a - b);
  return [0.5, 0.9].map((share) => sorted[Math.floor(share * (sorted.length - 1))].toFixed(0).padStart(7)).join("");
}

console.log(`${os.cpus().length} cores, load ${os.loadavg()[0].toFixed(1)}; ms from an input to the drawn answer, ${changes} changes`);
console.log("scenario          part        first median, 90%   whole median, 90%");
for (const name of ["llama3-405b", "deepseek-v3", "own", "hotnets24-dense"]) {
  await show(name);
  await page.getByText(/^Planned in/).waitFor();
  const pause = kSettled_ms * (name === "hotnets24-dense" ? kSlow : 1);
  await page.waitForTimeout(pause);
  const slider = page.getByRole("slider", { name: "Scale out rate, slider" });
  const times = {};
  for (let i = 0; i < changes; ++i) {
    await slider.press(i % 2 === 0 ? "ArrowRight" : "ArrowLeft"); // lower rates do not divide into every design's planes
    await page.waitForTimeout(pause);
    for (const [part, seen] of Object.entries(await page.evaluate(() => window.seen))) (times[part] ??= []).push(seen);
  }
  for (const [part, seen] of Object.entries(times))
    console.log(name.padEnd(18) + part.padEnd(12) + shares(seen.map((s) => s.first)) + "      " + shares(seen.map((s) => s.last)) + (seen.length < changes ? `   of ${seen.length} changes` : ""));
}
await browser.close();
server.kill();
