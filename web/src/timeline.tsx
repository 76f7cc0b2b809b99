// A training step, operation by operation, on a time axis that zooms.
import type { CustomSeriesRenderItem } from "echarts/types/dist/shared";
import { useMemo, useState } from "preact/hooks";
import { axisStyle, Canvas, frame, kColours } from "./chart";
import { clock, grouped, percent, withUnit } from "./format";
import { useJob } from "./live";
import { Card, Figure, Stale, Table, Trouble, Working } from "./parts";
import { saveJob } from "./report";
import type { Scene } from "./scene";

// [work, resource, stage, class of replicas, microbatch, start, finish, bytes]
type Row = [number, number, number, number, number, number, number, number];

interface StepAnswer {
  step: Record<string, any>;
  operations: { works: string[]; resources: string[]; rows: Row[]; all: number };
}

const kLane = 20;
const kManyLanes = 50; // more are as low as their names, below an axis that stays in sight
const kLowLane = 14;
const kHighest = 9000; // px: canvases have an end, beyond which names are left out
const kNarrow = 700; // px: lanes have short names

/** One lane for each stage, class of replicas and resource that does something. */
function lanesOf(answer: StepAnswer): { names: string[]; short: string[]; of: (row: Row) => number } {
  const key = (r: Row) => r[3] * 1e9 + r[2] * 10 + r[1];
  const found = new Map<number, Row>();
  for (const row of answer.operations.rows) if (!found.has(key(row))) found.set(key(row), row);
  const sorted = [...found.entries()].sort((a, b) => a[0] - b[0]);
  const place = new Map(sorted.map(([k], i) => [k, i]));
  const several = new Set(sorted.map(([, r]) => r[3]).filter((c) => c >= 0)).size > 1;
  const of = (c: number) => (c < 0 ? "all replicas, " : several ? `class ${c}, ` : "");
  const resource = (r: Row) => answer.operations.resources[r[1]].replace(/_/g, " ");
  const names = sorted.map(([, r]) => `${of(r[3])}stage ${r[2]}, ${resource(r)}`);
  const short = sorted.map(([, r]) => `${r[3] < 0 ? "all " : several ? `${r[3]}/` : ""}${r[2]} ${resource(r)}`);
  return { names, short, of: (row) => place.get(key(row))! };
}

function Gantt({ answer }: { answer: StepAnswer }) {
  const lanes = useMemo(() => lanesOf(answer), [answer]);
  const works = answer.operations.works;
  const used = useMemo(() => [...new Set(answer.operations.rows.map((r) => r[0]))].sort((a, b) => a - b), [answer]);
  const many = lanes.names.length > kManyLanes;
  const wished = lanes.names.length * (many ? kLowLane : kLane);
  const height = Math.min(kHighest, Math.max(280, wished + 130));
  const draw: CustomSeriesRenderItem = (params, api) => {
    const from = api.coord([api.value(0), api.value(2)]);
    const to = api.coord([api.value(1), api.value(2)]);
    const band = (api.size!([0, 1]) as number[])[1] * 0.8;
    const box = params.coordSys as unknown as { x: number; width: number };
    const left = Math.max(from[0], box.x);
    const right = Math.min(to[0], box.x + box.width);
    if (right < box.x || left > box.x + box.width) return null;
    return { type: "rect", shape: { x: left, y: from[1] - band / 2, width: Math.max(0.6, right - left), height: band }, style: { fill: api.visual("color") } };
  };
  const option = () => ({
    ...frame(),
    grid: { left: 8, right: 16, top: many ? 64 : 40, bottom: 70, containLabel: true },
    legend: { type: "scroll", top: 4, textStyle: (frame().textStyle as { color: string }) },
    tooltip: {
      ...(frame().tooltip as object),
      formatter: (p: { seriesName: string; value: number[] }) => `${p.seriesName}${p.value[3] >= 0 ? `, microbatch ${p.value[3]}` : ""}\n${lanes.names[p.value[2]]}\n${withUnit(p.value[0], "s")} to ${withUnit(p.value[1], "s")}: ${withUnit(p.value[1] - p.value[0], "s")}${p.value[4] > 0 ? `\n${withUnit(p.value[4], "B")} sent` : ""}`,
    },
    dataZoom: [
      { type: "inside", filterMode: "weakFilter" },
      { type: "slider", filterMode: "weakFilter", height: 22, bottom: 8, labelFormatter: (v: number) => withUnit(v, "s") },
    ],
    xAxis: { type: "value", min: 0, position: many ? "top" : "bottom", ...axisStyle(), axisLabel: { ...(axisStyle().axisLabel as object), formatter: (v: number) => withUnit(v, "s") } },
    yAxis: { type: "category", data: innerWidth < kNarrow ? lanes.short : lanes.names, inverse: true, ...axisStyle(), axisLabel: { ...(axisStyle().axisLabel as object), fontSize: many ? 11 : 12, interval: Math.ceil(wished / (height - 130)) - 1 }, axisTick: { show: false } },
    series: used.map((work) => ({
      type: "custom",
      name: works[work].replace(/_/g, " "),
      renderItem: draw,
      itemStyle: { color: kColours[work % kColours.length] },
      encode: { x: [0, 1], y: 2 },
      data: answer.operations.rows.filter((r) => r[0] === work).map((r) => [r[5], r[6], lanes.of(r), r[4], r[7]]),
    })),
  });
  return <Canvas option={option} of={answer} label={`Timeline of ${answer.operations.rows.length} operations on ${lanes.names.length} lanes`} height={height} />;
}

function Summary({ step }: { step: Record<string, any> }) {
  const exposed = Object.entries(step.exposed as Record<string, number>).filter(([name, v]) => name !== "total_s" && v > 0);
  return (
    <>
      <dl class="figures">
        <Figure name="Step" value={withUnit(step.step_s, "s")} note={step.step_low_s ? `${withUnit(step.step_low_s, "s")} to ${withUnit(step.step_high_s, "s")}` : undefined} />
        <Figure name="Exposed communication" value={percent(step.exposed_share)} note={step.exposed_share_low < step.exposed_share_high ? `${percent(step.exposed_share_low)} to ${percent(step.exposed_share_high)}` : undefined} />
        <Figure name="Idle" value={percent(step.idle_share)} />
        <Figure name="Computing" value={percent(step.compute_share)} />
        <Figure name="Utilization" value={percent(step.mfu)} note="MFU" />
      </dl>
      <Table caption="What is exposed" head={["transfers", "time of a step"]} rows={exposed.map(([name, v]) => [name.replace(/_s$/, ""), withUnit(v, "s")])} />
    </>
  );
}

export function Timeline({ scene }: { scene: Scene }) {
  const job = useJob<StepAnswer>("step");
  const [network, setNetwork] = useState("analytic");
  const result = job.answer?.kind === "result" ? job.answer.result : null;
  const shown = result ? result.operations.rows.length : 0;
  return (
    <>
      <form class="bar" onSubmit={(e) => (e.preventDefault(), job.run({ ...scene.question(), network }))}>
        <label>
          Transfers{" "}
          <select value={network} onChange={(e) => setNetwork(e.currentTarget.value)}>
            <option value="analytic">each alone, in closed form</option>
            <option value="flow">sharing links (needs a [[design]])</option>
          </select>
        </label>
        <button type="submit" class="primary" disabled={job.busy}>
          Simulate the step
        </button>
        {result && (
          <button type="button" onClick={() => saveJob(scene, "step", job.id)}>
            Save as HTML
          </button>
        )}
      </form>
      <Working busy={job.busy} progress={job.progress} since={job.began} what={job.waits ? "Waiting for its turn" : "Simulating the step"} cancel={job.cancel} />
      <Trouble answer={job.answer} goTo={scene.goTo} />
      <Stale shown={result !== null} of={job.of} now={scene.text} />
      {!result && !job.busy && !job.answer && (
        <div class="empty">
          <h2>A step as a timeline</h2>
          <p>Every operation of every stage: what computes, what is sent, what waits. Zoom with the wheel, by dragging the bar, or with the keys.</p>
        </div>
      )}
      {result && (
        <>
          <Card title="Timeline" note={`${grouped(shown)}${result.operations.all > shown ? ` of ${grouped(result.operations.all)}` : ""} operations, simulated in ${clock(job.took)}`}>
            <Gantt answer={result} />
          </Card>
          <Card title="The step">
            <Summary step={result.step} />
          </Card>
        </>
      )}
    </>
  );
}
