// Changes of single settings in a scenario's text (web/src/toml.ts): the rest stays as it is, letter for letter.
//
//   toml.mjs     exit status 77 where npm's packages are missing
import assert from "node:assert/strict";
import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

const web = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..", "web");
if (!fs.existsSync(path.join(web, "node_modules", "esbuild"))) {
  console.log("skipped: web/node_modules is missing (tools/bootstrap web installs it)");
  process.exit(77);
}
const { transformSync } = createRequire(path.join(web, "package.json"))("esbuild");
const { code } = transformSync(fs.readFileSync(path.join(web, "src", "toml.ts"), "utf8"), { loader: "ts", format: "esm" });
const toml = await import("data:text/javascript," + encodeURIComponent(code));

const kText = `# what it is
title = "A # in a title"

[facility]
devices = 16384   # servers of eight
hb_domain = "dgx-h100"

# how it is cut
[mapping]
tensor = 8
virtual_stages = [  # a list
  1, 2,  # of ]
  4,
]
goal = 'fastest'

[[design]]
name = "a"
radix = 64

[[design]]
name = "b"
`;
const at = (section, key, element = 0) => ({ section, key, element });
const changed = (place, literal, repeated) => toml.withValue(kText, place, literal, repeated);

// Values end before comments, and behind lists over lines.
assert.equal(toml.rawValue(kText, at("facility", "devices")), "16384");
assert.equal(toml.rawValue(kText, at("", "title")), '"A # in a title"');
assert.match(toml.rawValue(kText, at("mapping", "virtual_stages")), /^\[ [^]*4,\n\]$/);
assert.equal(toml.shownValue(toml.rawValue(kText, at("mapping", "goal"))), "fastest");
assert.equal(toml.rawValue(kText, at("design", "name", 1)), '"b"');
assert.equal(toml.rawValue(kText, at("design", "radix", 1)), null);
assert.equal(toml.rawValue(kText, at("nothing", "radix")), null);
assert.equal(toml.lineOf(kText, at("mapping", "tensor")), 10);
assert.equal(toml.countOf(kText, "design"), 2);

// A change is of the value alone.
assert.equal(changed(at("facility", "devices"), "8"), kText.replace("16384", "8"));
assert.equal(changed(at("mapping", "virtual_stages"), "2"), kText.replace(/= \[ [^]*?\n\]/, "= 2"));
assert.equal(changed(at("design", "name", 1), '"c"'), kText.replace('"b"', '"c"'));

// A setting goes with its line, a new one stands at the end of its section, before the comment of the next.
assert.equal(changed(at("mapping", "virtual_stages"), null), kText.replace(/virtual_stages[^]*?\n\]\n/, ""));
assert.equal(changed(at("facility", "load"), "0.9"), kText.replace('"dgx-h100"\n', '"dgx-h100"\nload = 0.9\n'));
assert.equal(changed(at("design", "radix", 1), "32"), kText.replace('"b"\n', '"b"\nradix = 32\n'));
assert.equal(changed(at("network", "scale_out_rate"), '"1 Tbps"'), kText + '\n[network]\nscale_out_rate = "1 Tbps"\n');
assert.equal(changed(at("design", "name", 2), '"c"', true), kText + '\n[[design]]\nname = "c"\n');
assert.equal(changed(at("network", "scale_out_rate"), null), kText);

// What people type becomes what the setting takes.
for (const [typed, type, literal] of [
  ["8", "count", "8"], ["1e9", "number", "1e9"], ["auto", "count", '"auto"'], ["400 Gbps", "bit rate", '"400 Gbps"'],
  ["true", "true or false", "true"], ["[1, 2]", "array of count", "[1, 2]"], ["{ search = [1] }", "count", "{ search = [1] }"],
  ['say "so"\\', "text", '"say \\"so\\"\\\\"'], ["8", "text", '"8"'],
]) assert.equal(toml.literalOf(typed, type), literal);
assert.equal(toml.shownValue(toml.literalOf('say "so"\\', "text")), 'say "so"\\');
assert.equal(toml.withAssignment(kText, "mapping.tensor=4"), kText.replace("tensor = 8", "tensor = 4"));
assert.equal(toml.withAssignment(kText, "mapping.tensor = 4"), kText.replace("tensor = 8", "tensor = 4"));
assert.equal(toml.withAssignment(kText, "mapping.goal=smallest_tensor"), kText.replace("'fastest'", '"smallest_tensor"'));

// Scenarios of one title are told apart by what differs.
const kEight = '[mapping]\ntensor = 8\npipeline = [1, # one\n 2]\n[[design]]\nradix = 64\n[[design]]\nradix = 32\n';
const told = (...texts) => toml.toldApart(texts.map((text) => ({ title: "T", text })));
assert.deepEqual(told(kEight), ["T"]);
assert.deepEqual(told(kEight, kEight.replace("tensor = 8", "tensor = 4")), ["T (mapping.tensor = 8)", "T (mapping.tensor = 4)"]);
assert.deepEqual(told(kEight, kEight.replace("radix = 32", "radix = 16")), ["T (design 2.radix = 32)", "T (design 2.radix = 16)"]);
assert.deepEqual(told(kEight, kEight.replace("tensor = 8\n", "")), ["T (mapping.tensor = 8)", "T (no mapping.tensor)"]);
assert.deepEqual(told(kEight, kEight + "# a remark\n"), ["T (1)", "T (2)"]);
assert.deepEqual(told("a = 1\nb = 1\nc = 1\nd = 1", "a = 2\nb = 2\nc = 2\nd = 2"), ["T (a = 1, b = 1, 2 more)", "T (a = 2, b = 2, 2 more)"]);
assert.deepEqual(toml.toldApart([{ title: "A", text: "x = 1" }, { title: "B", text: "x = 1" }]), ["A", "B"]);
console.log("all hold");
