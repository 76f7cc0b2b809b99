// What the server is asked: documents, and questions whose answers come line by line.

export interface Finding {
  file: string;
  line: number;
  column: number;
  message: string;
  help: string;
}

/** A setting that is left to a search. */
export interface LeftFree {
  key: string;
  values: number;
  line: number;
  column: number;
}

export interface Progress {
  done: number;
  all: number;
  text: string;
}

export type Answer<T> =
  | { kind: "result"; result: T }
  | { kind: "findings"; findings: Finding[] }
  | { kind: "free"; free: LeftFree[] } // every question but a search needs one value of each
  | { kind: "infeasible"; constraint: string; shortfall: string; remedy: string }
  | { kind: "failed"; why: string }
  | { kind: "forbidden"; why: string }
  | { kind: "away" }
  | { kind: "cancelled" };

const kToken = "trainyard.token";

/** The token of the address that the program printed; the address bar then forgets it. */
export function takeToken(): void {
  const words = new URLSearchParams(location.hash.slice(1));
  const token = words.get("token");
  if (!token) return;
  localStorage.setItem(kToken, token);
  words.delete("token");
  const rest = words.toString();
  history.replaceState(null, "", location.pathname + (rest ? "#" + rest : ""));
}

export function setToken(token: string): void {
  localStorage.setItem(kToken, token.trim().replace(/^.*token=/, ""));
}

function headers(): Record<string, string> {
  return { "X-Trainyard-Token": localStorage.getItem(kToken) ?? "", "Content-Type": "application/json" };
}

/** Throws where there is none; `status` 0: the server is away. */
export class NoDocument extends Error {
  constructor(readonly status: number) {
    super("status " + status);
  }
}

export async function document_<T>(name: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch("/api/" + name, { headers: headers() });
  } catch {
    throw new NoDocument(0);
  }
  if (!response.ok) throw new NoDocument(response.status);
  return (await response.json()) as T;
}

/** A result before the whole of it is known. */
export interface Draft<T> {
  draft: T;
}

/** What is told before the answer. */
export type Told<T> = Progress | Draft<T>;

function read<T>(line: string): Answer<T> | Told<T> | null {
  let said: any;
  try {
    said = JSON.parse(line);
  } catch {
    return null; // cut off
  }
  if (said.progress) return said.progress as Progress;
  if ("draft" in said) return said as Draft<T>;
  if ("result" in said) return { kind: "result", result: said.result as T };
  if (said.findings) return { kind: "findings", findings: said.findings };
  if (said.free) return { kind: "free", free: said.free };
  if (said.infeasible) return { kind: "infeasible", ...said.infeasible };
  return { kind: "failed", why: String(said.failed ?? "no answer") };
}

async function refused<T>(response: Response): Promise<Answer<T>> {
  const line = read<T>((await response.text()).trim());
  const why = line && "why" in line ? line.why : "status " + response.status;
  return response.status === 403 ? { kind: "forbidden", why } : { kind: "failed", why };
}

async function lines<T>(response: Response, tell?: (now: Told<T>) => void): Promise<Answer<T>> {
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last: Answer<T> = { kind: "failed", why: "the answer was cut off" };
  const take = (line: string) => {
    const said = read<T>(line);
    if (said && "kind" in said) last = said;
    else if (said) tell?.(said);
  };
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    const parts = (rest + value).split("\n");
    rest = parts.pop()!;
    parts.filter(Boolean).forEach(take);
  }
  if (rest) take(rest);
  return last;
}

/** Work of the server that goes on without this page. */
export interface JobFacts {
  id: string;
  kind: string;
  question: { name?: string; of?: string } & Record<string, unknown>;
  state: "waiting" | "running" | "ended" | "cancelled";
  asked_s: number; // since 1970
  took_s: number;
  progress?: Progress;
  outcome?: string;
}

/** What the server says of it, and its answer once it has ended. */
export interface JobLook<T> {
  job: JobFacts | null; // none: the server does not know it, or is away
  answer: Answer<T> | null;
}

async function said<T>(method: string, path: string, body?: unknown): Promise<JobLook<T>> {
  let response: Response;
  try {
    response = await fetch("/api/jobs" + path, { method, headers: headers(), body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    return { job: null, answer: { kind: "away" } };
  }
  if (!response.ok) return { job: null, answer: await refused<T>(response) };
  const [first, ...rest] = (await response.text()).split("\n").filter(Boolean);
  const job = (JSON.parse(first) as { job: JobFacts }).job;
  if (job.state === "cancelled") return { job, answer: { kind: "cancelled" } };
  const line = rest.length > 0 ? read<T>(rest[rest.length - 1]) : null;
  return { job, answer: line && "kind" in line ? line : null };
}

export const beginJob = <T>(kind: string, question: Record<string, unknown>) => said<T>("POST", "/" + kind, question);
export const lookAtJob = <T>(id: string) => said<T>("GET", "/" + id);
export const cancelJob = (id: string) => said<unknown>("POST", `/${id}/cancel`, {});
export const forgetJob = (id: string) => said<unknown>("POST", `/${id}/forget`, {});

/** The newest first; none where the server is away. */
export async function allJobs(): Promise<JobFacts[]> {
  try {
    return (await document_<{ jobs: JobFacts[] }>("jobs")).jobs.reverse();
  } catch {
    return [];
  }
}

/** The scenario that work is about. */
export async function textOfJob(id: string): Promise<string> {
  try {
    return (await document_<{ text: string }>(`jobs/${id}/question`)).text;
  } catch {
    return "";
  }
}

/** The report of work that has ended; empty: there is none. */
export async function pageOfJob(id: string): Promise<string> {
  try {
    const response = await fetch("/report/" + id);
    return response.ok ? await response.text() : "";
  } catch {
    return "";
  }
}

/** Asks; the signal takes the question back, and the server then ends its work. */
export async function ask<T>(
  kind: string,
  body: { name: string; text: string } & Record<string, unknown>,
  signal: AbortSignal,
  tell?: (now: Told<T>) => void,
): Promise<Answer<T>> {
  try {
    const response = await fetch("/api/" + kind, {
      method: "POST",
      headers: headers(),
      body: JSON.stringify(body),
      signal,
    });
    return response.ok ? await lines<T>(response, tell) : await refused<T>(response);
  } catch {
    return { kind: signal.aborted ? "cancelled" : "away" };
  }
}
