// Searches, simulations and sweeps: begun, watched, cancelled, and what they found.
import { useState } from "preact/hooks";
import { Canvas, axisStyle, frame, LineChartOf, type ChartData } from "./chart";
import { clock, grouped, percent, withUnit } from "./format";
import { useJob } from "./live";
import { Card, Figure, Stale, Table, Trouble, Working } from "./parts";
import { saveJob } from "./report";
import type { Scene } from "./scene";
import { withAssignment, withValue } from "./toml";

interface SearchAnswer {
  search: {
    space: { points: number; settings: { key: string; values: { value: unknown; best: number | null }[] }[] };
    objective: { name: string; label: string; unit: string; goal: string; value: number | null };
    bound: number | null;
    gap: number | null;
    method: { name: string };
    ranked: { settings: Record<string, unknown>; objectives: Record<string, number> }[];
    run: { evaluated: number; pruned: number; wall_s: number };
  };
  points: { settings: string[]; objectives: number[] }[];
}

const kFreeable: [string, string][] = [
  ["mapping.tensor", "1, 2, 4, 8"],
  ["mapping.pipeline", "1, 2, 4, 8, 16"],
  ["mapping.context", "1, 2, 4, 8"],
  ["mapping.virtual_stages", "1, 2, 4, 8"],
  ["mapping.microbatch", "1, 2, 4"],
  ["mapping.zero_stage", "0, 1, 2, 3"],
  ["network.scale_out_rate", '"200 Gbps", "400 Gbps", "800 Gbps"'],
  ["facility.hb_domain", '"dgx-h100", "dgx-b200", "nvl72-gb200"'],
];

function LeaveFree({ scene }: { scene: Scene }) {
  const [key, setKey] = useState("mapping.tensor");
  const [values, setValues] = useState("1, 2, 4, 8");
  const leave = () => {
    const [section, name] = key.split(".");
    scene.change(withValue(scene.text, { section, element: 0, key: name }, `{ search = [${values}] }`));
    scene.say(`${key} is free.`);
  };
  return (
    <form class="bar" onSubmit={(e) => (e.preventDefault(), leave())}>
      <label>
        Leave free{" "}
        <select
          value={key}
          onChange={(e) => {
            setKey(e.currentTarget.value);
            setValues(kFreeable.find(([k]) => k === e.currentTarget.value)?.[1] ?? "");
          }}
        >
          {kFreeable.map(([k]) => (
            <option value={k}>{k}</option>
          ))}
        </select>
      </label>
      <label>
        among <input type="text" value={values} onInput={(e) => setValues(e.currentTarget.value)} />
      </label>
      <button type="submit">Leave free</button>
    </form>
  );
}

function Ranking({ answer, scene }: { answer: SearchAnswer; scene: Scene }) {
  const s = answer.search;
  const keys = s.space.settings.map((x) => x.key);
  const unit = s.objective.unit;
  const use = (at: number) => {
    scene.change(answer.points[at].settings.reduce(withAssignment, scene.text));
    scene.say("The scenario has these settings now.");
  };
  return (
    <Table
      caption="The best points"
      head={["", s.objective.label, ...keys.map((k) => k.replace(/^.*\./, "").replace(/_/g, " ")), ""]}
      rows={s.ranked.map((point, i) => [
        String(i + 1),
        withUnit(answer.points[i].objectives[0], unit),
        ...keys.map((k) => String(point.settings[k] ?? "")),
        <button type="button" onClick={() => use(i)} aria-label={`Use point ${i + 1}`}>
          Use
        </button>,
      ])}
    />
  );
}

function Worth({ answer }: { answer: SearchAnswer }) {
  const s = answer.search;
  const several = s.space.settings.filter((x) => x.values.filter((v) => v.best !== null).length > 1);
  const [key, setKey] = useState(several[0]?.key ?? "");
  const setting = several.find((x) => x.key === key) ?? several[0];
  if (!setting) return null;
  const values = setting.values.filter((v) => v.best !== null);
  const option = () => ({
    ...frame(),
    grid: { left: 12, right: 16, top: 16, bottom: 30, containLabel: true },
    tooltip: { ...(frame().tooltip as object), trigger: "axis", valueFormatter: (v: number) => withUnit(v, s.objective.unit) },
    xAxis: { type: "category", data: values.map((v) => String(v.value)), ...axisStyle() },
    yAxis: { type: "value", scale: true, ...axisStyle(), axisLabel: { ...(axisStyle().axisLabel as object), formatter: (v: number) => withUnit(v, s.objective.unit) } },
    series: [{ type: "bar", name: s.objective.label, data: values.map((v) => v.best), barMaxWidth: 40 }],
  });
  return (
    <Card title="What each value costs" note="the best that goes with it">
      <label>
        Setting{" "}
        <select value={setting.key} onChange={(e) => setKey(e.currentTarget.value)}>
          {several.map((x) => (
            <option value={x.key}>{x.key}</option>
          ))}
        </select>
      </label>
      <Canvas option={option} of={setting} label={`${s.objective.label} by ${setting.key}`} height={240} />
    </Card>
  );
}

export function Search({ scene }: { scene: Scene }) {
  const job = useJob<SearchAnswer>("search");
  const [threads, setThreads] = useState(1);
  const result = job.answer?.kind === "result" ? job.answer.result : null;
  const s = result?.search;
  const isFree = /\{\s*search\s*=/.test(scene.text);
  return (
    <>
      <LeaveFree scene={scene} />
      <form class="bar" onSubmit={(e) => (e.preventDefault(), job.run({ ...scene.question(), threads }))}>
        <Threads scene={scene} threads={threads} set={setThreads} />
        <button type="submit" class="primary" disabled={job.busy || !isFree}>
          Search
        </button>
        {result && (
          <button type="button" onClick={() => saveJob(scene, "search", job.id)}>
            Save as HTML
          </button>
        )}
      </form>
      <Working busy={job.busy} progress={job.progress} since={job.began} what={job.waits ? "Waiting for its turn" : "Searching"} cancel={job.cancel} />
      <Trouble answer={job.answer} goTo={scene.goTo} />
      <Stale shown={result !== null} of={job.of} now={scene.text} />
      {!isFree && !result && (
        <div class="empty">
          <h2>Search</h2>
          <p>Leave settings free above, or begin with the scenario best-100b; the best values are proven to be the best of the space where it is small enough.</p>
        </div>
      )}
      {s && result && (
        <>
          <Card title="The best" note={`${grouped(s.space.points)} points, ${s.method.name}, ${clock(job.took)}`}>
            <dl class="figures">
              <Figure name={s.objective.label} value={withUnit(s.objective.value, s.objective.unit)} note={s.gap === 0 ? "proven to be the best" : s.gap ? `at most ${percent(s.gap)} from the best possible` : undefined} />
              <Figure name="Planned in full" value={grouped(s.run.evaluated)} note={`${grouped(s.run.pruned)} ruled out without`} />
            </dl>
            <Ranking answer={result} scene={scene} />
          </Card>
          <Worth answer={result} />
        </>
      )}
    </>
  );
}

function Threads(props: { scene: Scene; threads: number; set: (n: number) => void }) {
  return (
    <label>
      Threads{" "}
      <select value={String(props.threads)} onChange={(e) => props.set(Number(e.currentTarget.value))}>
        {Array.from({ length: Math.max(1, props.scene.threads) }, (_, i) => (
          <option value={String(i + 1)}>{i + 1}</option>
        ))}
      </select>
    </label>
  );
}

interface SimulationAnswer {
  simulation: Record<string, any>;
  charts: ChartData[];
}

export function Simulate({ scene }: { scene: Scene }) {
  const job = useJob<SimulationAnswer>("simulate");
  const [network, setNetwork] = useState("packet");
  const [threads, setThreads] = useState(1);
  const result = job.answer?.kind === "result" ? job.answer.result : null;
  const s = result?.simulation;
  const counts = ["events", "packet_hops", "drops", "trims", "marks", "pauses", "repeats", "timeouts"];
  return (
    <>
      <form class="bar" onSubmit={(e) => (e.preventDefault(), job.run({ ...scene.question(), network, threads }))}>
        <label>
          Engine{" "}
          <select value={network} onChange={(e) => setNetwork(e.currentTarget.value)}>
            <option value="packet">every packet</option>
            <option value="flow">flows at fair rates</option>
          </select>
        </label>
        <Threads scene={scene} threads={threads} set={setThreads} />
        <button type="submit" class="primary" disabled={job.busy}>
          Simulate
        </button>
        {result && (
          <button type="button" onClick={() => saveJob(scene, "simulate", job.id)}>
            Save as HTML
          </button>
        )}
      </form>
      <Working busy={job.busy} progress={job.progress} since={job.began} what={job.waits ? "Waiting for its turn" : "Simulating"} cancel={job.cancel} />
      <Trouble answer={job.answer} goTo={scene.goTo} />
      <Stale shown={result !== null} of={job.of} now={scene.text} />
      {!result && !job.busy && !job.answer && (
        <div class="empty">
          <h2>Flows over a network</h2>
          <p>
            The scenario needs <code>[[design]]</code> and <code>[simulation]</code>; ndp-permutation is one.
          </p>
        </div>
      )}
      {s && result && (
        <>
          <Card title="Completion" note={`${grouped(s.flows_finished)} of ${grouped(s.flows)} flows on ${s.design}, simulated in ${clock(job.took)}`}>
            <dl class="figures">
              <Figure name="Median" value={withUnit(s.fct_s.p50, "s")} />
              <Figure name="99th percentile" value={withUnit(s.fct_s.p99, "s")} />
              <Figure name="Last flow" value={withUnit(s.fct_s.max, "s")} note={`least possible ${withUnit(s.ideal_s, "s")}`} />
              {counts.filter((name) => s[name]).map((name) => (
                <Figure name={name.replace(/_/g, " ")} value={withUnit(s[name], "")} />
              ))}
            </dl>
          </Card>
          {result.charts.map((chart) => (
            <Card title={chart.title}>
              <LineChartOf data={chart} />
            </Card>
          ))}
        </>
      )}
    </>
  );
}

interface SweepAnswer {
  absent?: boolean;
  charts: ChartData[];
}

export function Sweeps({ scene }: { scene: Scene }) {
  const job = useJob<SweepAnswer>("sweep");
  const result = job.answer?.kind === "result" ? job.answer.result : null;
  return (
    <>
      <form class="bar" onSubmit={(e) => (e.preventDefault(), job.run(scene.question()))}>
        <button type="submit" class="primary" disabled={job.busy}>
          Draw the sweeps
        </button>
      </form>
      <Working busy={job.busy} progress={job.progress} since={job.began} what={job.waits ? "Waiting for its turn" : "Planning every point"} cancel={job.cancel} />
      <Trouble answer={job.answer} goTo={scene.goTo} />
      <Stale shown={result !== null} of={job.of} now={scene.text} />
      {(!result || result.absent) && !job.busy && (
        <div class="empty">
          <h2>Sweeps</h2>
          <p>
            A table <code>[[sweep]]</code> with <code>name</code>, <code>key</code> and <code>values</code> draws a quantity over a setting; llama3-405b has one.
          </p>
        </div>
      )}
      {result?.charts?.map((chart) => (
        <Card title={chart.title}>
          <LineChartOf data={chart} height={340} />
        </Card>
      ))}
    </>
  );
}
