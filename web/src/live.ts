// Answers that follow a scenario while it is edited: each change takes back what was asked before.
import { useEffect, useRef, useState } from "preact/hooks";
import { ask, type Answer, type Progress } from "./api";

export interface Live<T> {
  answer: Answer<T> | null; // the last that was complete
  last: T | null; // the last result, which stays on show while others are awaited
  of: string; // the text that `last` is of
  answered: string; // the text that `answer` is of
  busy: boolean;
  progress: Progress | null;
  asked: number; // when, in ms
  took: number; // ms from the question to the answer
}

const kNothing = { answer: null, last: null, of: "", answered: "", busy: false, progress: null, asked: 0, took: 0 };

/** Asks `kind` about the text whenever it changes, after a pause without changes; not while `wanted` is false. */
export function useLive<T>(kind: string, name: string, text: string, wanted: boolean, pause: number): Live<T> {
  const [state, setState] = useState<Live<T>>(kNothing);
  useEffect(() => {
    if (!wanted) return;
    const control = new AbortController();
    const timer = setTimeout(async () => {
      const asked = performance.now();
      setState((s) => ({ ...s, busy: true, progress: null, asked }));
      const answer = await ask<T>(kind, { name, text }, control.signal, (progress) =>
        setState((s) => ({ ...s, progress })),
      );
      if (answer.kind === "cancelled") return;
      const last = answer.kind === "result" ? answer.result : null;
      setState((s) => ({
        ...s,
        answer,
        last: last ?? s.last,
        of: last ? text : s.of,
        answered: text,
        busy: false,
        progress: null,
        took: performance.now() - asked,
      }));
    }, pause);
    return () => {
      clearTimeout(timer);
      control.abort();
    };
  }, [kind, name, text, wanted, pause]);
  return state;
}

export interface Job<T> {
  answer: Answer<T> | null;
  busy: boolean;
  progress: Progress | null;
  of: string; // the text that was asked about
  began: number;
  took: number;
  run: (body: { name: string; text: string } & Record<string, unknown>) => void;
  cancel: () => void;
}

/** Work that is begun by hand, watched, and may be cancelled; it ends with what shows it. */
export function useJob<T>(kind: string): Job<T> {
  const control = useRef<AbortController | null>(null);
  const [state, setState] = useState<Omit<Job<T>, "run" | "cancel">>({
    answer: null,
    busy: false,
    progress: null,
    of: "",
    began: 0,
    took: 0,
  });
  useEffect(() => () => control.current?.abort(), []);
  const run: Job<T>["run"] = async (body) => {
    control.current?.abort();
    const mine = new AbortController();
    control.current = mine;
    const began = performance.now();
    setState((s) => ({ ...s, busy: true, progress: null, began }));
    const answer = await ask<T>(kind, body, mine.signal, (progress) => setState((s) => ({ ...s, progress })));
    if (control.current !== mine) return;
    setState({ answer, busy: false, progress: null, of: body.text, began, took: performance.now() - began });
  };
  return { ...state, run, cancel: () => control.current?.abort() };
}

/** Milliseconds since a moment, while something is busy: for what has nothing else to tell. */
export function useElapsed(busy: boolean, since: number): number {
  const [now, setNow] = useState(0);
  useEffect(() => {
    if (!busy) return;
    const timer = setInterval(() => setNow(performance.now()), 100);
    return () => clearInterval(timer);
  }, [busy, since]);
  return busy ? Math.max(0, now - since) : 0;
}
