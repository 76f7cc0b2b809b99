// The scenario as TOML: numbered lines, colours behind the letters, marks where something is wrong.
import { useEffect, useRef } from "preact/hooks";
import type { Finding } from "./api";

export interface GoTo {
  line: number;
  column: number;
  when: number;
}

/** Words of a line with the class that colours them. */
function coloured(line: string): { text: string; tone: string }[] {
  const out: { text: string; tone: string }[] = [];
  const word = /(#.*$)|("(?:[^"\\]|\\.)*"?|'[^']*'?)|(^\s*\[\[?[^\]]*\]\]?)|(^\s*[\w.-]+(?=\s*=))|(\b(?:true|false)\b|[-+]?\b\d[\w.+-]*)/g;
  const tones = ["comment", "string", "section", "name", "number"];
  let at = 0;
  for (const match of line.matchAll(word)) {
    if (match.index > at) out.push({ text: line.slice(at, match.index), tone: "" });
    out.push({ text: match[0], tone: tones[match.slice(1).findIndex((m) => m !== undefined)] });
    at = match.index + match[0].length;
  }
  if (at < line.length) out.push({ text: line.slice(at), tone: "" });
  return out;
}

export function Editor(props: { text: string; change: (text: string) => void; findings: Finding[]; goTo: GoTo | null }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const back = useRef<HTMLPreElement>(null);
  const gutter = useRef<HTMLDivElement>(null);
  const lines = props.text.split("\n");
  const wrong = new Map(props.findings.filter((f) => f.line > 0).map((f) => [f.line, f.message]));

  const scrolled = () => {
    const { scrollTop, scrollLeft } = area.current!;
    back.current!.scrollTop = scrollTop;
    back.current!.scrollLeft = scrollLeft;
    gutter.current!.scrollTop = scrollTop;
  };

  useEffect(() => {
    if (!props.goTo) return;
    const before = lines.slice(0, props.goTo.line - 1).join("\n").length + (props.goTo.line > 1 ? 1 : 0);
    const at = before + Math.max(0, props.goTo.column - 1);
    area.current!.focus();
    area.current!.setSelectionRange(at, at);
    const height = parseFloat(getComputedStyle(area.current!).lineHeight);
    area.current!.scrollTop = Math.max(0, (props.goTo.line - 5) * height);
    scrolled();
  }, [props.goTo]);

  return (
    <div class="editor">
      <div class="gutter" ref={gutter} aria-hidden="true">
        {lines.map((_, i) => (
          <div class={wrong.has(i + 1) ? "wrong" : ""} title={wrong.get(i + 1)}>
            {i + 1}
          </div>
        ))}
      </div>
      <div class="writing">
        <pre ref={back} aria-hidden="true">
          {lines.map((line, i) => (
            <div class={wrong.has(i + 1) ? "wrong" : ""}>
              {line === "" ? "\u200b" : coloured(line).map((w) => (w.tone ? <span class={w.tone}>{w.text}</span> : w.text))}
            </div>
          ))}
        </pre>
        <textarea
          ref={area}
          value={props.text}
          onInput={(e) => props.change(e.currentTarget.value)}
          onScroll={scrolled}
          spellcheck={false}
          autocomplete="off"
          autocapitalize="off"
          wrap="off"
          aria-label="Scenario as TOML"
          aria-invalid={props.findings.length > 0}
          aria-describedby="findings"
        />
      </div>
    </div>
  );
}
