// Answers that follow a scenario while it is edited: each change takes back what was asked before.
import { useEffect, useRef, useState } from "preact/hooks";
import { allJobs, ask, beginJob, cancelJob, lookAtJob, textOfJob, type Answer, type Progress } from "./api";

export interface Live<T> {
  answer: Answer<T> | null; // the last that was complete
  last: T | null; // the last result, which stays on show while others are awaited
  of: string; // the text that `last` is of
  answered: string; // the text that `answer` is of
  busy: boolean;
  isDraft: boolean; // `last` is a first look, whose whole is awaited
  progress: Progress | null;
  asked: number; // when, in ms
  took: number; // ms from the question to the answer
}

const kNothing = { answer: null, last: null, of: "", answered: "", busy: false, isDraft: false, progress: null, asked: 0, took: 0 };

let due: (() => void)[] = [];

/** Once the change that is being made is drawn: all together, so that the page is made again once for all of them. */
function soon(ask: () => void): void {
  due.push(ask);
  if (due.length > 1) return;
  setTimeout(() => {
    const all = due;
    due = [];
    all.forEach((one) => one());
  });
}

/** Asks `kind` about the text whenever it changes; not while `wanted` is false. */
export function useLive<T>(kind: string, name: string, text: string, wanted: boolean): Live<T> {
  const [state, setState] = useState<Live<T>>(kNothing);
  useEffect(() => setState(kNothing), [name]); // another scenario: the last answer is not its own
  useEffect(() => {
    if (!wanted) return;
    const control = new AbortController();
    soon(async () => {
      if (control.signal.aborted) return;
      const asked = performance.now();
      setState((s) => ({ ...s, busy: true, progress: null, asked }));
      const answer = await ask<T>(kind, { name, text }, control.signal, (told) => {
        if (control.signal.aborted) return;
        setState((s) => ("draft" in told ? { ...s, last: told.draft, of: text, isDraft: true } : { ...s, progress: told }));
      });
      if (answer.kind === "cancelled") return;
      const last = answer.kind === "result" ? answer.result : null;
      setState((s) => ({
        ...s,
        answer,
        last: last ?? s.last,
        of: last ? text : s.of,
        answered: text,
        isDraft: false,
        busy: false,
        progress: null,
        took: performance.now() - asked,
      }));
    });
    return () => control.abort();
  }, [kind, name, text, wanted]);
  return state;
}

export interface Job<T> {
  id: string; // "": none
  answer: Answer<T> | null;
  busy: boolean;
  waits: boolean; // for its turn
  progress: Progress | null;
  of: string; // the text that was asked about
  began: number;
  took: number;
  run: (body: { name: string; text: string } & Record<string, unknown>) => void;
  cancel: () => void;
}

type JobState<T> = Omit<Job<T>, "run" | "cancel">;

const kNoJob = { id: "", answer: null, busy: false, waits: false, progress: null, of: "", began: 0, took: 0 };
const kJobPause = 250; // ms between looks
const kAwayPause = 2000;

/** Which work of a kind this tab shows. */
const shownKey = (kind: string) => "trainyard.job." + kind;
export const showJob = (kind: string, id: string) => sessionStorage.setItem(shownKey(kind), id);

/** The one that this tab showed, or the newest of its kind. */
async function jobToShow(kind: string): Promise<string> {
  const own = (await allJobs()).filter((job) => job.kind === kind && job.state !== "cancelled");
  const shown = sessionStorage.getItem(shownKey(kind));
  return (own.find((job) => job.id === shown) ?? own[0])?.id ?? "";
}

/** Looks at work until it has ended, or nobody wants to know. */
async function follow<T>(id: string, isWanted: () => boolean, tell: (change: Partial<JobState<T>>) => void): Promise<void> {
  while (isWanted()) {
    const { job, answer } = await lookAtJob<T>(id);
    if (!isWanted()) return;
    const isAway = answer?.kind === "away";
    const busy = isAway || job?.state === "waiting" || job?.state === "running";
    tell({ answer, busy, waits: job?.state === "waiting", progress: job?.progress ?? null });
    if (job) tell({ began: performance.now() - job.took_s * 1000, took: job.took_s * 1000 });
    if (!busy) return;
    await new Promise((resolve) => setTimeout(resolve, isAway ? kAwayPause : kJobPause));
  }
}

/** Work that is begun by hand, watched, and may be cancelled. It is the server's: another page of it, or this one once it is opened again, finds it. */
export function useJob<T>(kind: string): Job<T> {
  const [state, setState] = useState<JobState<T>>(kNoJob);
  const shown = useRef("");
  const tell = (change: Partial<JobState<T>>) => setState((s) => ({ ...s, ...change }));
  const watch = (id: string) => follow<T>(id, () => shown.current === id, tell);
  useEffect(() => {
    jobToShow(kind).then(async (id) => {
      if (!id || shown.current) return;
      shown.current = id;
      const of = await textOfJob(id);
      if (shown.current !== id) return; // other work was begun meanwhile
      tell({ id, of }); // whether it is under way is not known yet: a button that is being pressed stays as it is
      watch(id);
    });
    return () => (shown.current = "gone");
  }, [kind]);
  const run: Job<T>["run"] = async (body) => {
    shown.current = "asking";
    setState({ ...kNoJob, busy: true, of: body.text, began: performance.now() });
    const { job, answer } = await beginJob<T>(kind, body);
    if (shown.current !== "asking") return;
    if (!job) return tell({ answer, busy: false });
    shown.current = job.id;
    showJob(kind, job.id);
    tell({ id: job.id });
    watch(job.id);
  };
  return { ...state, run, cancel: () => state.id && cancelJob(state.id) };
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
