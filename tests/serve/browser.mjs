// The page of `trainyard serve` in headless Chromium: every page of it, bad input, a server that goes away, axe-core's rules
// on each page in both colours, a phone's width, and no request to anywhere else.
//
//   browser.mjs PROGRAM [--shots FOLDER]     exit status 77 where Chromium or npm's packages are missing
import { spawn } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "web");
const program = process.argv[2];
const shots = process.argv[3] === "--shots" ? process.argv[4] : null;
const chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
const kSkipped = 77;

function skip(why) {
  console.log(`skipped: ${why}`);
  process.exit(kSkipped);
}
if (!chromium) skip("there is no chromium (tools/bootstrap test installs it)");
if (!fs.existsSync(path.join(web, "node_modules", "playwright-core"))) skip("web/node_modules is missing (tools/bootstrap web installs it)");
const require = createRequire(path.join(web, "package.json"));
const playwright = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

const failures = [];
const check = (holds, what) => {
  if (!holds) failures.push(what);
};

/** A server, and the address that it prints. */
async function begin() {
  const child = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  child.stderr.on("data", (data) => (said += data));
  const url = await new Promise((resolve, reject) => {
    let out = "";
    child.on("exit", () => reject(new Error("the server ended: " + said)));
    child.stdout.on("data", (data) => {
      out += data;
      const found = /http:\S+/.exec(out);
      if (found) resolve(found[0]);
    });
  });
  if (/without the page/.test(said)) {
    child.kill();
    skip("this program was built without the page");
  }
  return { child, url };
}

const server = await begin();
const origin = new URL(server.url).origin;
const browser = await playwright.chromium.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-gpu"] });

/** A tab of its own, whose requests and complaints are looked at. */
async function open(options = {}, url = server.url) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("request", (r) => check(/^(data|blob):/.test(r.url()) || new URL(r.url()).origin === origin, `a request to ${r.url()}`));
  page.on("console", (m) => check(m.type() !== "error" || page.mayComplain, `the page complains: ${m.text()}`));
  page.on("pageerror", (e) => check(false, `the page throws ${e}`));
  await page.goto(url);
  return page;
}

async function shot(page, name, fullPage = false) {
  if (shots) await page.screenshot({ path: path.join(shots, name + ".png"), fullPage });
}

/** axe runs in a world of its own: the page's policy lets no script in. */
async function accessible(page, name) {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId } = await session.send("Page.createIsolatedWorld", { frameId: frameTree.frame.id, worldName: "axe" });
  await session.send("Runtime.evaluate", { contextId: executionContextId, expression: axe });
  const ran = await session.send("Runtime.evaluate", {
    contextId: executionContextId,
    expression: "axe.run(document, {resultTypes: ['violations']}).then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.help, v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160))])))",
    awaitPromise: true,
    returnByValue: true,
  });
  await session.detach();
  for (const violation of JSON.parse(ran.result.value)) check(false, `axe, ${name}: ${JSON.stringify(violation)}`);
}

/** How bright the pixels of an element are in the mean, from 0 to 1. */
async function brightness(page, element) {
  const shot = (await element.screenshot()).toString("base64");
  const other = await page.context().browser().newPage(); // without the page's policy
  const mean = await other.evaluate(async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    const pixels = canvas.getContext("2d").getImageData(0, 0, image.width, image.height).data;
    let sum = 0;
    for (let at = 0; at < pixels.length; at += 4) sum += (pixels[at] + pixels[at + 1] + pixels[at + 2]) / 765;
    return sum / (pixels.length / 4);
  }, shot);
  await other.close();
  return mean;
}

/** Drawings are dark where the page is, by the system or by the button. */
async function drawingsFollow(system) {
  const page = await open({ colorScheme: system });
  await planned(page);
  const drawing = page.locator(".drawing img").first();
  for (const name of ["Auto", "Light", "Dark"]) {
    await page.getByRole("button", { name: `Colours: ${name.toLowerCase()}` }).waitFor();
    const dark = name === "Auto" ? system === "dark" : name === "Dark";
    const seen = await brightness(page, drawing);
    check(dark ? seen < 0.4 : seen > 0.7, `drawings on a ${system} system, ${name}: brightness ${seen.toFixed(2)}`);
    await page.getByRole("button", { name: /^Colours/ }).click();
  }
  await page.context().close();
}

const tab = (page, name) => page.getByRole("tab", { name, exact: false }).click();
const planned = (page) => page.getByText(/^Planned in/).waitFor();
const figure = (page, name) => page.locator(".figure", { hasText: name }).first().locator("dd").innerText();
const choose = (page, name) => page.locator(".top select").selectOption(name);

/** A report of many columns on a screen: no table is cut. */
async function fits(page, name) {
  const screen = await page.context().newPage();
  await screen.goto(origin + (await page.getByRole("link", { name: "In a tab of its own" }).getAttribute("href")));
  for (const width of [1200, 800]) {
    await screen.setViewportSize({ width, height: 1000 });
    const cut = await screen.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".scroll")].map((e) => e.scrollWidth - e.clientWidth)));
    check(cut <= 0, `tables of the report of ${name} are cut by ${cut} px on a screen of ${width} px`);
  }
  await screen.close();
}

/** A report on paper: nothing is beyond the page, bars keep their colours, and what is pressed is left out. */
async function printed(page, name) {
  const paper = await page.context().newPage();
  await paper.setViewportSize({ width: 718, height: 1000 });
  await paper.emulateMedia({ media: "print" });
  await paper.goto(origin + (await page.getByRole("link", { name: "In a tab of its own" }).getAttribute("href")));
  await paper.evaluate(() => dispatchEvent(new Event("beforeprint")));
  const seen = await paper.evaluate(() => ({
    over: Math.max(...[document.documentElement, ...document.querySelectorAll("table, canvas, svg")].map((e) => Math.round(e.getBoundingClientRect().right))) - innerWidth,
    bars: [...document.querySelectorAll(".stack, .error-track")].filter((e) => getComputedStyle(e).printColorAdjust !== "exact").length,
    buttons: [...document.querySelectorAll("button")].filter((e) => e.offsetWidth > 0 && !e.closest("td, th")).length,
    tall: [...document.querySelectorAll("canvas, svg, img")].filter((e) => e.getBoundingClientRect().height > innerHeight).length,
    narrow: [...document.querySelectorAll("td")].filter((e) => e.textContent.length > 6 && e.getBoundingClientRect().width < 24).length,
  }));
  for (const [what, count] of Object.entries(seen)) check(count <= 0, `the report of ${name} on paper, ${what}: ${count}`);
  await paper.close();
}

/** The same numbers for a seed, in [0, 1). */
function numbersOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

/** What a hurried person does, in an order that a seed says: nothing of it may throw. */
async function hurry(page, seed, steps) {
  const number = numbersOf(seed);
  const pick = (all) => all[Math.floor(number() * all.length)];
  const names = ["Design", "Compare", "Timeline", "Search", "Simulate", "Sweeps", "Reports", "Jobs"];
  const press = (what, words = "") => page.evaluate(([what, words]) => [...document.querySelectorAll(what)].find((e) => !e.disabled && e.textContent.startsWith(words))?.click(), [what, words]);
  const turn = (name) => press("#results [role=tab]", name);
  const chart = page.locator(".canvas").first();
  const drag = async () => {
    const box = await chart.boundingBox({ timeout: 500 }).catch(() => null);
    if (!box) return;
    const height = pick([20, box.height / 2, box.height - 16]); // legend, plot, the bar that zooms
    await page.mouse.move(box.x + number() * box.width, box.y + height);
    await page.mouse.wheel(0, number() * 400 - 200);
    await page.mouse.down();
    await page.mouse.move(box.x + number() * box.width, box.y + height, { steps: 3 });
    if (number() < 0.5) await turn(pick(names));
    await page.mouse.up();
  };
  const acts = [
    () => turn(pick(names)),
    async () => {
      await turn(pick(["Timeline", "Sweeps", "Search", "Simulate"]));
      await chart.waitFor({ timeout: 500 }).catch(() => {});
      await drag();
    },
    async () => {
      for (const name of names) await turn(name);
    },
    () => press("#page form.bar .primary"),
    () => press("#page .working button"),
    () => press(".source [role=tab]", pick(["Form", "TOML", "Both"])),
    () => page.locator("input[type=range]").first().press(pick(["ArrowLeft", "ArrowRight"]), { timeout: 300 }).catch(() => {}),
    () => choose(page, pick(["llama3-405b", "ndp-permutation", "best-100b"])),
    () => page.setViewportSize({ width: 320 + Math.floor(number() * 1080), height: 500 }),
    async () => {
      await page.context().setOffline(true);
      await page.waitForTimeout(40);
      await page.context().setOffline(false);
    },
  ];
  for (let step = 0; step < steps; ++step) await pick(acts)();
}

let page;

async function tests() {
  page = await open();
  await planned(page);
  check(!page.url().includes("token"), "the token stays in the address bar");
  check(/16,384/.test(await figure(page, "Devices")), "the first scenario has 16,384 devices");
  await page.getByRole("img", { name: /network designs/ }).waitFor();
  await page.getByText("Useful time").waitFor();
  check(/% to .*% of a step/.test(await figure(page, "Exposed communication")), "the error bar of exposed communication");
  await shot(page, "design", true);
  await accessible(page, "Design");

  for (const system of ["light", "dark"]) await drawingsFollow(system);

  // A slider moves, and the plan follows at once.
  const before = await figure(page, "Cost of the run");
  const slider = page.getByRole("slider", { name: "Scale out rate, slider" });
  const began = Date.now();
  await slider.focus();
  await page.keyboard.press("Home");
  while ((await figure(page, "Cost of the run")) === before && Date.now() - began < 30000) await page.waitForTimeout(5);
  const took = Date.now() - began;
  const said = await page.getByText(/^Planned in/).innerText();
  console.log(`a slider: ${took} ms to the new plan; ${said}`);
  check(took < 30000, `a change takes ${took} ms`);
  check((await page.locator("[id='f-network.scale_out_rate-0']").inputValue()) === "50 Gbps", "the slider's value");

  // The rest is asked for beside the plan, and an older answer does not stand for a refusal.
  const others = new Set();
  const isQuick = Number(/Planned in (\d+) ms/.exec(said)?.[1] ?? Infinity) < 400; // the rest waits for slower ones
  await page.route("**/api/plan", async (route) => {
    await page.waitForTimeout(400);
    check(!isQuick || ["site", "networks", "goodput"].every((kind) => others.has("/api/" + kind)), `before the plan answers only these are asked: ${[...others]}`);
    await page.unroute("**/api/plan");
    await route.continue();
  });
  const beside = (request) => others.add(new URL(request.url()).pathname);
  page.on("request", beside);
  await page.keyboard.press("ArrowRight");
  await page.waitForTimeout(500);
  await planned(page);
  page.off("request", beside);
  const months = page.getByRole("region", { name: /^Months/ });
  await months.getByText("1,000 runs").waitFor();
  await tab(page, "TOML");
  const whole = page.getByRole("textbox", { name: "Scenario as TOML" });
  const kept = await whole.inputValue();
  await whole.fill(kept + '[resilience]\nrestart = "20 h"\n');
  await months.getByText("There is no such plan").waitFor();
  check((await months.getByText("Useful time").count()) === 0, "months of another scenario stand beside a refusal");
  await whole.fill(kept);
  await months.getByText("Useful time").waitFor();
  await tab(page, "Form");

  // Kept, changed, compared.
  await page.getByRole("button", { name: "Keep" }).click();
  await page.keyboard.press("Escape");
  await page.locator("[id='f-mapping.tensor-0']").fill("4");
  await page.waitForTimeout(50);
  await tab(page, "Compare");
  await page.locator(".compare").waitFor();
  await page.locator(".compare .differs").first().waitFor();
  const columns = await page.locator(".compare thead th span:first-child").allInnerTexts();
  check(new Set(columns).size === 2 && columns.every((name) => /tensor = (8|4)/.test(name)), `columns of one title: ${columns}`);
  await shot(page, "compare");
  await accessible(page, "Compare");

  // TOML beside the form, and a mistake at its line.
  await tab(page, "Both");
  await tab(page, "Design");
  const area = page.getByRole("textbox", { name: "Scenario as TOML" });
  const text = await area.inputValue();
  check(/tensor = 4/.test(text) && /# /.test(text), "the form changes the text, and comments stay");
  await area.fill(text.replace("devices = 16384", "devices = -7"));
  await page.getByRole("alert").first().waitFor();
  const line = text.split("\n").findIndex((l) => l.startsWith("devices")) + 1;
  await page.getByRole("button", { name: `line ${line}` }).click();
  check(await area.evaluate((a) => document.activeElement === a), "the line of a finding is gone to");
  check((await page.locator(".gutter .wrong").innerText()) === String(line), "the line is marked");
  check((await page.locator("[id='f-facility.devices-0']").getAttribute("aria-invalid")) === "true", "the field is marked");
  await shot(page, "mistake");
  await accessible(page, "a mistake");
  await area.fill("= [[ \u0000 \ud800");
  await page.getByRole("alert").first().waitFor();
  await area.fill('[facility]\ndevices = 8\nhb_domain = "dgx-h100"\n[model]\nname = "llama3-405b"\n');
  await page.getByText("There is no such plan").waitFor();
  await area.fill('title = "<img src=x onerror=alert(1)>"\n' + text.replace(/^title.*\n/m, ""));
  await planned(page);
  check((await page.locator("img[src=x]").count()) === 0, "a title is markup");
  await choose(page, "llama3-405b");

  // The step, with thousands of operations of one kind.
  await page.locator("[id='f-facility.devices-0']").fill("8192");
  await tab(page, "Timeline");
  await page.getByRole("button", { name: "Simulate the step" }).click();
  await page.locator(".canvas canvas").first().waitFor();
  const blue = (canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    let found = 0;
    for (let at = 0; at < data.length; at += 4) found += data[at] < 20 && data[at + 1] > 100 && data[at + 1] < 130 && data[at + 2] > 165 && data[at + 2] < 195;
    return found;
  };
  let forward = 0;
  for (let tries = 0; tries < 50 && forward === 0; ++tries) { // it is drawn some frames after it is there
    forward = await page.locator(".canvas canvas").first().evaluate(blue);
    if (forward === 0) await page.waitForTimeout(100);
  }
  check(forward > 2000, `forward passes have ${forward} pixels`);
  const lanes = Number(/on (\d+) lanes/.exec(await page.locator(".canvas").first().getAttribute("aria-label"))[1]);
  const lane = (await page.locator(".canvas").first().boundingBox()).height / lanes;
  check(lane >= 13, `a name for every ${lane} px, of 12 px`);
  await page.locator(".canvas").first().focus();
  await page.keyboard.press("+");
  await page.keyboard.press("ArrowRight");
  await shot(page, "timeline");
  await accessible(page, "Timeline");

  // A search, begun from a setting that is left free; another is cancelled.
  await tab(page, "Search");
  await shot(page, "search-empty");
  await page.getByRole("button", { name: "Leave free" }).click();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("button", { name: "Use point 1" }).click();
  // Its report is of what was found: nothing is searched again, the scenario of now is another.
  const asked = [];
  const note = (request) => request.method() === "POST" && asked.push(request.url());
  await page.waitForTimeout(300);
  page.on("request", note);
  const [found] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save as HTML" }).click()]);
  page.off("request", note);
  check(/mapping\.tensor[^]*<\/html>\s*$/.test(fs.readFileSync(await found.path(), "utf8")), "the report of a search");
  check(asked.length === 0, `saving a search asks ${asked}`);
  check(!/search *=/.test(await area.inputValue()), "a point is used");
  // What is left free is no mistake, and the plan of another scenario is not shown for this one.
  await tab(page, "Design");
  await choose(page, "best-100b");
  await page.getByText("9 settings are left free").waitFor();
  check((await page.locator(".trouble, .figure, .hint.bad").count()) === 0, "free settings are shown as mistakes, or with another scenario's plan");
  check(/trainyard search best-100b/.test(await page.locator("footer").innerText()), "the command of what is left free");
  await shot(page, "free");
  await accessible(page, "Design with free settings");
  await page.getByRole("button", { name: "To the search" }).click();
  await choose(page, "largest-1gw");
  await tab(page, "Design");
  // It takes longer than the page to be loaded again, also beside other tests.
  await area.fill((await area.inputValue()).replace("times = 1.01", "times = 1.002"));
  await tab(page, "Search");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await shot(page, "searching");
  // It goes on without its page, is found again, and listed beside what has ended.
  await page.reload();
  await page.locator(".tabs .mark").getByText("1").waitFor();
  await tab(page, "Search");
  await page.getByRole("button", { name: "Cancel" }).waitFor();
  await tab(page, "Jobs");
  await page.getByRole("button", { name: "Cancel Search" }).waitFor();
  await shot(page, "jobs");
  await accessible(page, "Jobs");
  await page.getByRole("button", { name: "Open Search" }).first().click();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Cancel" }).waitFor({ state: "detached" });
  await accessible(page, "Search");
  await tab(page, "Jobs");
  await page.getByText("cancelled").waitFor();
  await page.getByRole("button", { name: "Open Timeline" }).first().press("Enter");
  await page.locator(".canvas canvas").first().waitFor();

  // Packets.
  await choose(page, "ndp-permutation");
  await tab(page, "Simulate");
  await page.getByRole("button", { name: "Simulate", exact: true }).click();
  await page.getByText("99th percentile").waitFor();
  await shot(page, "simulate");
  await accessible(page, "Simulate");

  // Reports of verbs in a frame: markup of theirs runs apart from the page.
  await choose(page, "llama3-405b");
  await tab(page, "Reports");
  for (const [of, kind] of [["goodput", "months"], ["operate", "operate"], ["years", "years"], ["schedule", "schedule"], ["wide-area", "wide area"], ["network", "network"], ["step", "step"]]) {
    await page.locator("form.bar select").first().selectOption(of);
    await page.getByRole("button", { name: "Make the report" }).click();
    const shown = page.frameLocator("iframe.report");
    await shown.locator(".brand", { hasText: kind }).waitFor();
    // A script of the report's own makes it, after the brand stands there.
    check(await shown.locator("#contents a").first().waitFor().then(() => true, () => false), `the script of the report of ${of}`);
    await printed(page, of);
    if (["goodput", "operate", "years", "schedule"].includes(of)) await fits(page, of);
  }
  check((await page.frames()[1].evaluate(() => self.origin)) === "null", "a report has the page's origin");
  await shot(page, "report");
  await accessible(page, "Reports");
  await page.reload();
  await planned(page);
  await tab(page, "Reports");
  await page.frameLocator("iframe.report").locator(".brand").waitFor();

  // Sweeps, and the page in the dark.
  await choose(page, "llama3-405b");
  await tab(page, "Sweeps");
  await page.getByRole("button", { name: "Draw the sweeps" }).click();
  await page.locator(".canvas canvas").first().waitFor();
  await shot(page, "sweeps");
  await accessible(page, "Sweeps");
  for (const wanted of ["Light", "Dark"]) await page.getByRole("button", { name: /^Colours/ }).click().then(() => page.getByRole("button", { name: /^Colours/ }).getByText(wanted).waitFor());
  await tab(page, "Design");
  await planned(page);
  await shot(page, "dark");
  for (const name of ["Design", "Compare", "Timeline", "Search", "Simulate", "Sweeps", "Reports", "Jobs"]) {
    await tab(page, name);
    await accessible(page, name + " in the dark");
  }
  await tab(page, "Both");
  await tab(page, "Design");
  await planned(page);
  await accessible(page, "form and text in the dark");

  // A report and a scenario as files, a link that carries the scenario.
  const [report] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Report" }).click()]);
  check(/<\/html>\s*$/.test(fs.readFileSync(await report.path(), "utf8")), "the report is whole");
  const [saved] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name: "Save", exact: true }).click()]);
  check(/\.toml$/.test(saved.suggestedFilename()), "the scenario's file");
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await area.fill((await area.inputValue()) + "\n# of a colleague\n");
  await page.getByRole("button", { name: "Link" }).click();
  await page.getByText(/link is in/).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const other = await page.context().newPage();
  await other.goto(link);
  await planned(other);
  await other.getByRole("tab", { name: "TOML" }).click();
  check(/of a colleague/.test(await other.getByRole("textbox", { name: "Scenario as TOML" }).inputValue()), "a link carries the scenario");
  await other.close();

  // A site on a grid, a phone, and a token that is wrong.
  const phone = await open({ viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "dark" });
  await planned(phone);
  await choose(phone, "hotnets24-dense");
  await phone.getByRole("img", { name: /Map of the power grid/ }).waitFor();
  for (const name of ["Design", "Timeline", "Search", "Simulate", "Sweeps", "Reports", "Jobs", "Compare"]) {
    await tab(phone, name);
    const over = await phone.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    check(over <= 0, `on a phone ${name} is ${over} px too wide`);
    await accessible(phone, `${name} on a phone in the dark`);
  }
  await tab(phone, "Design");
  await planned(phone);
  await shot(phone, "phone", true);
  await accessible(phone, "Design on a phone");
  await phone.context().close();
  const stranger = await browser.newContext();
  const closed = await stranger.newPage();
  await closed.goto(origin + "/");
  await closed.getByText("needs the token").waitFor();
  await closed.getByLabel("Address or token").fill(server.url);
  await closed.getByRole("button", { name: "Open" }).click();
  await planned(closed);
  await stranger.close();

  // Everything at once; requests without a network are complained of by the browser.
  page.mayComplain = true;
  await hurry(page, 1, 120);
  await page.setViewportSize({ width: 1440, height: 900 });
  await choose(page, "llama3-405b");
  await tab(page, "Both");
  await tab(page, "Design");
  await planned(page);

  // The server goes away in the middle of work.
  server.child.kill();
  await area.fill(text + "# more\n");
  await page.getByText("The server does not answer").waitFor();
  check(/# more/.test(await area.inputValue()), "the text is kept");
  await shot(page, "away");
  await accessible(page, "without a server");
}

try {
  await tests();
} catch (error) {
  failures.push(String(error.stack ?? error));
  await shot(page, "failed").catch(() => {});
  console.log("the page said:", (await page.locator("#page").innerText().catch(() => "nothing")).slice(0, 600));
}
await browser.close();
server.child.kill();
for (const failure of failures) console.log("FAILED:", failure);
console.log(`${failures.length} failures`);
process.exit(failures.length > 0 ? 1 : 0);
