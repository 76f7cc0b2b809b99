// Work of the server: what waits, runs and has ended, whoever began it.
import { useEffect, useState } from "preact/hooks";
import { allJobs, cancelJob, forgetJob, type JobFacts } from "./api";
import { clock, percent } from "./format";
import { showJob } from "./live";
import { Table } from "./parts";

const kPause = 1500; // ms between looks

/** All of it, the newest first, looked at while the page is in sight. */
export function useJobs(): { jobs: JobFacts[]; look: () => void } {
  const [jobs, setJobs] = useState<JobFacts[]>([]);
  const look = () => void allJobs().then(setJobs);
  useEffect(() => {
    look();
    const timer = setInterval(() => document.visibilityState === "visible" && look(), kPause);
    return () => clearInterval(timer);
  }, []);
  return { jobs, look };
}

export const isUnderWay = (job: JobFacts) => job.state === "waiting" || job.state === "running";

const kNames: Record<string, string> = { step: "Timeline", search: "Search", simulate: "Simulation", sweep: "Sweeps", report: "Report" };
/** The page that shows a kind. */
export const kPages: Record<string, string> = { step: "Timeline", search: "Search", simulate: "Simulate", sweep: "Sweeps", report: "Reports" };

const kOutcomes: Record<string, string> = { result: "ended", findings: "needs a repair", free: "is for Search", infeasible: "has no answer", failed: "failed" };

function stateOf(job: JobFacts): string {
  if (job.state === "waiting") return "waits for its turn";
  if (job.state === "cancelled") return "cancelled";
  if (job.state === "ended") return kOutcomes[job.outcome ?? ""] ?? "ended";
  const p = job.progress;
  return p && p.all > 0 ? `${percent(p.done / p.all)}${p.text ? `, ${p.text}` : ""}` : "runs";
}

export function Jobs(props: { jobs: JobFacts[]; look: () => void; open: (page: string) => void }) {
  if (props.jobs.length === 0) {
    return (
      <div class="empty">
        <h2>Work of this server</h2>
        <p>Timelines, searches, simulations, sweeps and reports go on when their page is closed, and are found here again. Nothing was begun yet.</p>
      </div>
    );
  }
  const change = (what: (id: string) => Promise<unknown>, id: string) => what(id).then(props.look);
  const name = (job: JobFacts) => `${kNames[job.kind] ?? job.kind}${job.question.of ? ` (${job.question.of})` : ""}`;
  const open = (job: JobFacts) => {
    showJob(job.kind, job.id);
    props.open(kPages[job.kind]);
  };
  return (
    <Table
      caption="Work of this server, the newest first"
      head={["what", "scenario", "state", "begun", "took", ""]}
      rows={props.jobs.map((job) => [
        name(job),
        String(job.question.name ?? ""),
        stateOf(job),
        new Date(job.asked_s * 1000).toLocaleTimeString(),
        job.took_s > 0 ? clock(job.took_s * 1000) : "",
        <span class="row">
          {kPages[job.kind] && job.state !== "cancelled" && (
            <button type="button" onClick={() => open(job)} aria-label={`Open ${name(job)}`}>
              Open
            </button>
          )}
          {isUnderWay(job) ? (
            <button type="button" onClick={() => change(cancelJob, job.id)} aria-label={`Cancel ${name(job)}`}>
              Cancel
            </button>
          ) : (
            <button type="button" onClick={() => change(forgetJob, job.id)} aria-label={`Forget ${name(job)}`}>
              Forget
            </button>
          )}
        </span>,
      ])}
    />
  );
}
