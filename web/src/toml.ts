// Single settings of a scenario's text: read where they stand, changed in place, so that comments and order stay.

export interface Place {
  section: string;
  element: number; // of [[section]]; 0 elsewhere
  key: string;
}

interface Found {
  from: number; // of the value, in the text
  to: number;
  line: number; // from 1
}

interface Section {
  name: string;
  repeated: boolean;
  element: number;
  line: number; // of its header, from 0; -1: the top
  end: number; // the line behind its last one
}

const kHeader = /^\s*(\[\[?)\s*([\w.-]+)\s*\]\]?\s*(?:#.*)?$/;

function sectionsOf(lines: string[]): Section[] {
  const out: Section[] = [{ name: "", repeated: false, element: 0, line: -1, end: lines.length }];
  const seen = new Map<string, number>();
  lines.forEach((line, at) => {
    const match = kHeader.exec(line);
    if (!match) return;
    out[out.length - 1].end = at;
    const element = seen.get(match[2]) ?? 0;
    seen.set(match[2], element + 1);
    out.push({ name: match[2], repeated: match[1] === "[[", element, line: at, end: lines.length });
  });
  return out;
}

/** How far a value reaches that begins at `from`: over lines while brackets are open, without a comment behind it. */
function valueEnd(text: string, from: number): number {
  let depth = 0;
  let quote = "";
  let last = from;
  for (let at = from; at < text.length; ++at) {
    const c = text[at];
    if (quote) {
      if (c === "\\" && quote === '"') ++at;
      else if (c === quote) quote = "";
      last = at + 1;
      continue;
    }
    if (c === "\n" && depth === 0) break;
    if (c === "#") {
      const end = text.indexOf("\n", at);
      if (depth === 0 || end < 0) break;
      at = end;
      continue;
    }
    if (c === '"' || c === "'") quote = c;
    if (c === "[" || c === "{") ++depth;
    if (c === "]" || c === "}") --depth;
    if (!/\s/.test(c)) last = at + 1;
  }
  return last;
}

const nameOf = (section: string, element: number, key: string) => `${section}\n${element}\n${key}`;

/** Where each key of a text stands first, by section and element, and its value. */
function keysOf(text: string): Map<string, { from: number; line: number }> {
  const lines = text.split("\n");
  const out = new Map<string, { from: number; line: number }>();
  const sections = sectionsOf(lines);
  let now = 0;
  let start = 0;
  lines.forEach((line, at) => {
    while (now < sections.length - 1 && at >= sections[now].end) ++now;
    const match = at > sections[now].line && /^\s*"?([\w.-]+)"?\s*=\s*/.exec(line);
    const name = match && nameOf(sections[now].name, sections[now].element, match[1]);
    if (match && name && !out.has(name)) out.set(name, { from: start + match[0].length, line: at + 1 });
    start += line.length + 1;
  });
  return out;
}

// A form asks for a hundred settings of one text.
let lastText = "";
let lastKeys = keysOf("");

function find(text: string, place: Place): Found | null {
  if (text !== lastText) {
    lastKeys = keysOf(text);
    lastText = text;
  }
  const found = lastKeys.get(nameOf(place.section, place.element, place.key));
  return found ? { ...found, to: valueEnd(text, found.from) } : null;
}

/** The value as it is written, or null. */
export function rawValue(text: string, place: Place): string | null {
  const found = find(text, place);
  return found ? text.slice(found.from, found.to) : null;
}

/** On which line the setting stands; 0: nowhere. */
export function lineOf(text: string, place: Place): number {
  return find(text, place)?.line ?? 0;
}

/** Without the quotes of a string. */
export function shownValue(raw: string | null): string {
  if (raw === null) return "";
  if (/^"([^"\\]|\\.)*"$/.test(raw)) {
    try {
      return JSON.parse(raw) as string;
    } catch {
      return raw.slice(1, -1);
    }
  }
  return /^'[^']*'$/.test(raw) ? raw.slice(1, -1) : raw;
}

const kNumber = /^[+-]?(\d[\d_]*)(\.\d[\d_]*)?([eE][+-]?\d+)?$/;

/** What a person typed, as TOML: numbers and booleans where the setting is one, tables and arrays as they are. */
export function literalOf(typed: string, type: string): string {
  const value = typed.trim();
  if (/^[[{]/.test(value)) return value;
  if ((type === "count" || type === "number") && kNumber.test(value)) return value;
  if (type === "true or false" && /^(true|false)$/.test(value)) return value;
  return JSON.stringify(value);
}

export function countOf(text: string, section: string): number {
  return sectionsOf(text.split("\n")).filter((s) => s.name === section).length;
}

/** The text with this value, or with null without the setting. */
export function withValue(text: string, place: Place, literal: string | null, repeated = false): string {
  const found = find(text, place);
  if (found && literal !== null) return text.slice(0, found.from) + literal + text.slice(found.to);
  const lines = text.split("\n");
  if (found) {
    const lastLine = text.slice(0, found.to).split("\n").length;
    lines.splice(found.line - 1, lastLine - found.line + 1);
    return lines.join("\n");
  }
  if (literal === null) return text;
  const line = `${place.key} = ${literal}`;
  const section = sectionsOf(lines).find((s) => s.name === place.section && s.element === place.element);
  if (section) {
    let at = section.end;
    while (at > section.line + 1 && lines[at - 1].trim() === "") --at;
    // A comment that leads to the next section stays with that one.
    if (section.end < lines.length) while (at > section.line + 1 && lines[at - 1].trimStart().startsWith("#")) --at;
    while (at > section.line + 1 && lines[at - 1].trim() === "") --at;
    lines.splice(at, 0, line);
    return lines.join("\n");
  }
  const header = repeated ? `[[${place.section}]]` : `[${place.section}]`;
  return text.replace(/\s*$/, "") + `\n\n${header}\n${line}\n`;
}

/** "mapping.tensor=4", as searches give their points: of sections that are not repeated. */
export function withAssignment(text: string, assignment: string): string {
  const equals = assignment.indexOf("=");
  const path = assignment.slice(0, equals).trim();
  const dot = path.lastIndexOf(".");
  if (dot < 0) return text;
  const value = assignment.slice(equals + 1).trim();
  const literal = /^(["[{]|true$|false$)/.test(value) || kNumber.test(value) ? value : JSON.stringify(value);
  return withValue(text, { section: path.slice(0, dot), element: 0, key: path.slice(dot + 1) }, literal);
}

/** "mapping.tensor" or "design 2.radix" to its value as it is written, in the order of the text. */
function settingsOf(text: string): Map<string, string> {
  const lines = text.split("\n");
  const out = new Map<string, string>();
  for (const section of sectionsOf(lines)) {
    const prefix = section.name ? section.name + (section.element > 0 ? ` ${section.element + 1}` : "") + "." : "";
    for (let at = section.line + 1; at < section.end; ++at) {
      const match = /^\s*"?([\w.-]+)"?\s*=\s*/.exec(lines[at]);
      if (!match) continue;
      const from = lines.slice(0, at).reduce((sum, line) => sum + line.length + 1, 0) + match[0].length;
      const to = valueEnd(text, from);
      out.set(prefix + match[1], text.slice(from, to).replace(/\s+/g, " "));
      at += text.slice(from, to).split("\n").length - 1;
    }
  }
  return out;
}

const kMostTold = 2; // settings in a name

/** Names of scenarios side by side, none twice: those of one title are told apart by settings that differ, or by numbers. */
export function toldApart(all: { title: string; text: string }[]): string[] {
  const settings = all.map((one) => settingsOf(one.text));
  const names = all.map((one, i) => {
    const same = all.flatMap((other, j) => (j !== i && other.title === one.title ? [j] : []));
    if (same.length === 0) return one.title;
    const keys = [...new Set([i, ...same].flatMap((j) => [...settings[j].keys()]))];
    const differ = keys.filter((key) => same.some((j) => settings[j].get(key) !== settings[i].get(key)));
    const told = differ.slice(0, kMostTold).map((key) => (settings[i].has(key) ? `${key} = ${settings[i].get(key)}` : `no ${key}`));
    if (differ.length > kMostTold) told.push(`${differ.length - kMostTold} more`);
    return told.length > 0 ? `${one.title} (${told.join(", ")})` : one.title;
  });
  return names.map((name, i) => {
    const before = names.slice(0, i).filter((other) => other === name).length;
    return names.filter((other) => other === name).length > 1 ? `${name} (${before + 1})` : name;
  });
}
