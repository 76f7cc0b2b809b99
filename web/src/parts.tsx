// Small parts that several pages show.
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import type { Answer, Progress } from "./api";
import { clock } from "./format";
import { useElapsed } from "./live";

export function Card(props: { title: string; children: ComponentChildren; note?: string; busy?: boolean }) {
  return (
    <section class={"card" + (props.busy ? " busy" : "")} aria-label={props.title} aria-busy={props.busy ?? false}>
      <h2>
        {props.title}
        {props.note && <small>{props.note}</small>}
      </h2>
      {props.children}
    </section>
  );
}

/** A way to the line that something is said of, where there is one. */
function LineOf(props: { at: { line: number; column: number }; goTo?: (line: number, column: number) => void }) {
  const { at, goTo } = props;
  if (at.line === 0 || !goTo) return null;
  return (
    <button type="button" class="link" onClick={() => goTo(at.line, at.column)}>
      line {at.line}
    </button>
  );
}

/** What an answer says that is no result. */
export function Trouble(props: { answer: Answer<unknown> | null; goTo?: (line: number, column: number) => void; search?: () => void }) {
  const { answer, goTo } = props;
  if (!answer || answer.kind === "result" || answer.kind === "cancelled") return null;
  if (answer.kind === "findings") {
    return (
      <div class="trouble" role="alert">
        <h2>{answer.findings.length === 1 ? "One thing to repair" : `${answer.findings.length} things to repair`}</h2>
        <ul>
          {answer.findings.map((f) => (
            <li>
              <LineOf at={f} goTo={goTo} />{" "}
              {f.line === 0 && f.file && <code>{f.file}</code>} {f.message}
              {f.help && <p class="soft">{f.help}</p>}
            </li>
          ))}
        </ul>
      </div>
    );
  }
  if (answer.kind === "free") {
    return (
      <div class="notice" role="status">
        <h2>{answer.free.length === 1 ? "One setting is left free" : `${answer.free.length} settings are left free`}</h2>
        <p>Search finds their best values; every other page needs one value of each.</p>
        <ul>
          {answer.free.map((f) => (
            <li>
              <LineOf at={f} goTo={goTo} />{" "}
              <code>{f.key}</code>: {f.values} {f.values === 1 ? "value" : "values"}
            </li>
          ))}
        </ul>
        {props.search && (
          <button type="button" class="primary" onClick={props.search}>
            To the search
          </button>
        )}
      </div>
    );
  }
  if (answer.kind === "infeasible") {
    return (
      <div class="trouble" role="alert">
        <h2>There is no such plan: {answer.constraint}</h2>
        <p class="lines">{answer.shortfall}</p>
        {answer.remedy && <p class="soft lines">{answer.remedy}</p>}
      </div>
    );
  }
  if (answer.kind === "away") {
    return (
      <div class="trouble" role="alert">
        <h2>The server does not answer</h2>
        <p class="soft">Is `trainyard serve` still running? Your text is kept in this tab, and is asked again once it is back.</p>
      </div>
    );
  }
  return (
    <div class="trouble" role="alert">
      <h2>No answer</h2>
      <p>{answer.why}</p>
    </div>
  );
}

/** Says that what is shown is of another text than the one in hand. */
export function Stale(props: { shown: boolean; of: string; now: string }) {
  return props.shown && props.of !== props.now ? <p class="warnings">The scenario has changed since: this is of the earlier one.</p> : null;
}

/** How far work is, with a way to stop it. */
export function Working(props: {
  busy: boolean;
  progress: Progress | null;
  since: number;
  what: string;
  cancel?: () => void;
}) {
  const elapsed = useElapsed(props.busy, props.since);
  if (!props.busy) return null;
  const now = props.progress;
  const known = now !== null && now.all > 0;
  return (
    <div class="working" role="status">
      <progress aria-label={props.what} max={known ? now.all : undefined} value={known ? Math.min(now.done, now.all) : undefined} />
      <span>
        {props.what}, {clock(elapsed)}
        {now?.text ? `: ${now.text}` : ""}
      </span>
      {props.cancel && (
        <button type="button" onClick={props.cancel}>
          Cancel
        </button>
      )}
    </div>
  );
}

export interface Piece {
  name: string;
  value: number;
  shown: string;
  tone: string; // a class of style.css
}

/** Shares of a whole as one bar with a key; the end may have an interval. */
export function Stack(props: { label: string; pieces: Piece[]; all: number; low?: number; high?: number; mark?: { at: number; name: string } }) {
  const most = Math.max(props.all, props.high ?? 0, props.mark?.at ?? 0);
  const at = (value: number) => `${(100 * value) / most}%`;
  const pieces = props.pieces.filter((p) => p.value > 0);
  const spoken = pieces.map((p) => `${p.name} ${p.shown}`).join(", ");
  return (
    <div class="stackbox">
      <div class="stack" role="img" aria-label={`${props.label}: ${spoken}`}>
        {pieces.map((p) => (
          <span class={p.tone} style={{ width: at(p.value) }} title={`${p.name}: ${p.shown}`} />
        ))}
        {props.low !== undefined && props.high !== undefined && (
          <i class="whisker" style={{ left: at(props.low), width: at(props.high - props.low) }} title="80% interval" />
        )}
        {props.mark && <i class="mark" style={{ left: `min(calc(100% - 2px), ${at(props.mark.at)})` }} title={props.mark.name} />}
      </div>
      <ul class="key" aria-hidden="true">
        {pieces.map((p) => (
          <li>
            <i class={p.tone} /> {p.name} <b>{p.shown}</b>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A drawing that the program made; its own styles stay its own. */
export function Drawing(props: { svg: string; alt: string; name: string }) {
  const source = useMemo(() => "data:image/svg+xml;charset=utf-8," + encodeURIComponent(props.svg), [props.svg]);
  return (
    <figure class="drawing" tabIndex={0} role="group" aria-label={props.alt}>
      <img src={source} alt={props.alt} />
      <figcaption>
        <a href={source} download={props.name + ".svg"}>
          Save the drawing
        </a>
      </figcaption>
    </figure>
  );
}

export function Figure(props: { name: string; value: string; note?: string; tone?: string }) {
  return (
    <div class={"figure " + (props.tone ?? "")}>
      <dt>{props.name}</dt>
      <dd>
        {props.value}
        {props.note && <small>{props.note}</small>}
      </dd>
    </div>
  );
}

export function Table(props: { caption: string; head: string[]; rows: ComponentChildren[][] }) {
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label={props.caption}>
      <table>
        <caption class="unseen">{props.caption}</caption>
        <thead>
          <tr>
            {props.head.map((h) => (h ? <th scope="col">{h}</th> : <td />))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr>{row.map((cell, i) => (i === 0 ? <th scope="row">{cell}</th> : <td>{cell}</td>))}</tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
