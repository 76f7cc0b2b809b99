// Answers of every verb as reports, made by the server and shown in a frame.
import { useState } from "preact/hooks";
import { useJob } from "./live";
import { Stale, Trouble, Working } from "./parts";
import type { Scene } from "./scene";
import { saveFile } from "./share";

export interface ReportKind {
  name: string;
  sentence: string;
  section: string;
}

interface Asked {
  of: string;
  jobs: number;
  days: number;
  load_percent: number;
}

function JobsAsked({ asked, set }: { asked: Asked; set: (change: Partial<Asked>) => void }) {
  const field = (name: "jobs" | "days" | "load_percent", words: string, most: number) => (
    <label>
      {words} <input type="number" min={1} max={most} value={asked[name]} onInput={(e) => set({ [name]: Math.round(Number(e.currentTarget.value)) })} />
    </label>
  );
  return (
    <>
      {field("jobs", "Made-up jobs", 1_000_000)}
      {field("days", "in days", 3650)}
      {field("load_percent", "load in %", 1000)}
    </>
  );
}

export function Reports({ scene, kinds }: { scene: Scene; kinds: ReportKind[] }) {
  const job = useJob<{ html: string }>("report");
  const [asked, setAsked] = useState<Asked>({ of: "plan", jobs: 2000, days: 7, load_percent: 80 });
  const change = (some: Partial<Asked>) => setAsked((all) => ({ ...all, ...some }));
  const html = job.answer?.kind === "result" ? job.answer.result.html : null;
  const title = /<title>([^<]*)/.exec(html ?? "")?.[1] ?? "report";
  const options = asked.of === "schedule" ? asked : { of: asked.of };
  return (
    <>
      <form class="bar" onSubmit={(e) => (e.preventDefault(), job.run({ ...scene.question(), ...options }))}>
        <label>
          Report{" "}
          <select value={asked.of} onChange={(e) => change({ of: e.currentTarget.value })}>
            {kinds.map((kind) => (
              <option value={kind.name}>
                {kind.name}: {kind.sentence}
              </option>
            ))}
          </select>
        </label>
        {asked.of === "schedule" && <JobsAsked asked={asked} set={change} />}
        <button type="submit" class="primary" disabled={job.busy}>
          Make the report
        </button>
        {html && (
          <>
            <button type="button" onClick={() => saveFile(scene.name.replace(/\.toml$/, "") + "-report.html", html, "text/html")}>
              Save as HTML
            </button>
            <a href={`/report/${job.id}`} target="_blank" rel="noopener">
              In a tab of its own
            </a>
          </>
        )}
      </form>
      <Working busy={job.busy} progress={job.progress} since={job.began} what={job.waits ? "Waiting for its turn" : "Making the report"} cancel={job.cancel} />
      <Trouble answer={job.answer} goTo={scene.goTo} />
      <Stale shown={html !== null} of={job.of} now={scene.text} />
      {!html && !job.busy && !job.answer && (
        <div class="empty">
          <h2>Reports</h2>
          <p>What the command line writes with --report, of the scenario as it stands: from hours and months to years, from a rail of circuits to several sites. Each is one file that needs nothing else.</p>
        </div>
      )}
      {html && <iframe class="report" src={`/report/${job.id}`} title={`Report: ${title}`} />}
    </>
  );
}
