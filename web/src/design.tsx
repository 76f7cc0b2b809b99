// What follows from the scenario, live: plan, memory, communication, networks, months, places.
import { useEffect, useMemo, useState } from "preact/hooks";
import { clock, grouped, percent, withUnit } from "./format";
import type { Live } from "./live";
import { Card, Drawing, Figure, Stack, Table, Trouble, Working, type Piece } from "./parts";

type Section = Record<string, any>;

export interface Quantity {
  key: string;
  label: string;
  shown: string;
  formula: string;
  how: string;
  source: string;
}

export interface PlanAnswer {
  plan: { title: string; warnings: string[] } & Record<string, Section>;
  quantities: Quantity[];
  sections: { name: string; title: string }[];
  layer_svg: string;
  placement_svg: string;
}

export interface Months {
  ettr: { mean: number; low: number; high: number };
  interruptions: { mean: number; low: number; high: number };
  days: { mean: number | null; median: number | null; ended_share: number | null };
  usd: number | null;
  ideal_days: number;
  ideal_usd: number;
  useful_hours: number;
  period_hours: number;
  runs: number;
  lost_hours: Record<string, number>;
  spares: number;
  best_spares: number | null;
  checkpoint_interval_s: number;
}

export interface Networks {
  networks: { designs: Section[] };
  svg: string;
}

export interface Places {
  absent?: boolean;
  site: Section;
  svg: string;
}

const range = (low: number, high: number, unit: string) => `${withUnit(low, unit)} to ${withUnit(high, unit)}`;

function Headline({ plan }: { plan: PlanAnswer["plan"] }) {
  const { facility: f, step: s, cost: c } = plan;
  return (
    <dl class="figures">
      <Figure name="Devices" value={grouped(f.devices)} note={f.accelerator} />
      <Figure name="Step" value={withUnit(s.batch_s, "s")} note={s.batch_low_s < s.batch_high_s ? range(s.batch_low_s, s.batch_high_s, "s") : undefined} />
      <Figure name="Exposed communication" value={percent(s.batch_exposed_share)} note={s.batch_exposed_share_low < s.batch_exposed_share_high ? `${percent(s.batch_exposed_share_low)} to ${percent(s.batch_exposed_share_high)} of a step` : "of a step"} tone={s.batch_exposed_share > 0.3 ? "warm" : ""} />
      <Figure name="Utilization" value={percent(s.mfu)} note="of peak FLOP (MFU)" />
      <Figure name="Tokens" value={withUnit(s.tokens_per_second, "") + "/s"} note={`${withUnit(s.tokens, "")} in all`} />
      <Figure name="Training time" value={withUnit(s.days_to_train_s, "s")} />
      <Figure name="Cost of the run" value={withUnit(c.run_usd, "USD")} note={`${withUnit(c.per_million_tokens_usd, "USD")} a million tokens`} />
      <Figure name="Power" value={withUnit(f.power_high_w, "W")} note={`from ${withUnit(f.power_low_w, "W")}`} />
    </dl>
  );
}

function StepCard({ plan }: { plan: PlanAnswer["plan"] }) {
  const s = plan.step;
  const exposed = s.batch_exposed_s;
  const hasBar = s.batch_exposed_low_s < s.batch_exposed_high_s;
  const bubble = s.bubble_share * s.batch_s;
  const rest = Math.max(0, s.batch_s - exposed - bubble);
  const piece = (name: string, value: number, tone: string): Piece => ({ name, value, shown: `${withUnit(value, "s")} (${percent(value / s.batch_s)})`, tone });
  const layer = [
    ["tensor parallelism", s.exposed_tensor_s, "t1"],
    ["pipeline", s.exposed_pipeline_s, "t2"],
    ["context parallelism", s.exposed_context_s, "t3"],
    ["experts", s.exposed_expert_s, "t4"],
    ["gathering weights", s.exposed_weights_s, "t5"],
    ["gradients", s.exposed_gradient_s, "t6"],
  ] as const;
  return (
    <Card title="A training step" note={s.batch_low_s < s.batch_high_s ? `80% of measured steps: ${range(s.batch_low_s, s.batch_high_s, "s")}` : undefined}>
      <Stack label="Step" all={s.batch_s} low={s.batch_low_s < s.batch_high_s ? s.batch_low_s : undefined} high={s.batch_low_s < s.batch_high_s ? s.batch_high_s : undefined} pieces={[piece("computing", rest, "t0"), piece("exposed communication", exposed, "t6"), piece("pipeline bubble", bubble, "t7")]} />
      {hasBar && (
        <>
          <h3>
            Exposed communication of a step: {withUnit(exposed, "s")}, 80% interval {range(s.batch_exposed_low_s, s.batch_exposed_high_s, "s")}
          </h3>
          <Stack label="Exposed communication of a step" all={exposed} low={s.batch_exposed_low_s} high={s.batch_exposed_high_s} pieces={[piece("exposed communication", exposed, "t6")]} />
        </>
      )}
      <h3>Exposed in a layer: {withUnit(s.exposed_s, "s")} of {withUnit(s.steady_s, "s")}</h3>
      {s.exposed_s > 0 ? (
        <Stack label="Exposed communication of a layer" all={s.exposed_s} pieces={layer.map(([name, value, tone]) => ({ name, value: value ?? 0, shown: withUnit(value ?? 0, "s"), tone }))} />
      ) : (
        <p class="soft">Everything that is sent is hidden behind computing.</p>
      )}
    </Card>
  );
}

function MemoryCard({ plan }: { plan: PlanAnswer["plan"] }) {
  const m = plan.mapping;
  const piece = (name: string, value: number, tone: string): Piece => ({ name, value: value ?? 0, shown: withUnit(value ?? 0, "B"), tone });
  return (
    <Card title="Memory of a device" note={`${percent(m.device_memory_share)} of ${withUnit(m.device_memory_bytes, "B")}; 80% interval ${range(m.device_total_low_bytes, m.device_total_high_bytes, "B")}`}>
      <Stack
        label="Memory"
        all={m.device_total_bytes}
        low={m.device_total_low_bytes}
        high={m.device_total_high_bytes}
        mark={{ at: m.device_memory_bytes, name: `what it has: ${withUnit(m.device_memory_bytes, "B")}` }}
        pieces={[
          piece("weights", m.device_weights_bytes, "t0"),
          piece("gradients", m.device_gradients_bytes, "t6"),
          piece("optimizer", m.device_optimizer_bytes, "t3"),
          piece("activations", m.device_activations_bytes, "t5"),
          piece("buffers", m.device_buffers_bytes, "t8"),
        ]}
      />
    </Card>
  );
}

function MappingCard({ plan }: { plan: PlanAnswer["plan"] }) {
  const m = plan.mapping;
  const row = (name: string, value: unknown) => [name, String(value)];
  return (
    <Card title="Mapping">
      <Table
        caption="Mapping in force"
        head={["what", "value"]}
        rows={[
          row("tensor × pipeline × context × data", `${m.tensor} × ${m.pipeline} × ${m.context} × ${m.data}`),
          row("experts' groups", m.expert_tensor === m.tensor ? m.expert : `${m.expert}, an expert on ${m.expert_tensor} tensor rank${m.expert_tensor === 1 ? "" : "s"}`),
          row("chunks of a stage", m.virtual_stages),
          row("microbatches of a replica", `${m.microbatches} of ${m.microbatch} sequence${m.microbatch === 1 ? "" : "s"}`),
          row("ZeRO stage", m.zero_stage),
          row("computed again", m.recompute),
          row("batch", `${withUnit(m.batch_tokens, "")} tokens`),
          row("devices used / idle", `${grouped(m.devices_used)} / ${grouped(m.devices_idle)}`),
        ]}
      />
      {plan.warnings.length > 0 && (
        <ul class="warnings">
          {plan.warnings.map((w) => (
            <li>{w}</li>
          ))}
        </ul>
      )}
    </Card>
  );
}

/** What there is instead of a result, which an earlier one may not stand in for. */
const refuses = (live: Live<unknown>) => live.answer !== null && live.answer.kind !== "result" && !live.isDraft;

function Refused({ title, live }: { title: string; live: Live<unknown> }) {
  return (
    <Card title={title} busy={live.busy}>
      <Trouble answer={live.answer} />
    </Card>
  );
}

function NetworkCard({ live, named }: { live: Live<Networks>; named: boolean }) {
  if (refuses(live)) return <Refused title="Networks" live={live} />;
  const data = live.last;
  if (!data && !live.busy) return null;
  return (
    <Card title="Networks" busy={live.busy} note={named ? undefined : "the usual ones: the scenario has no [[design]]"}>
      {data && (
        <>
          <Table
            caption="Designs side by side"
            head={["design", "switches", "cables", "price", "power", "bisection", "step", "exposed"]}
            rows={data.networks.designs.map((d) => [d.title || d.name, d.switches === undefined ? "" : grouped(d.switches), grouped(d.host_cables + d.switch_cables), withUnit(d.price_usd, "USD"), withUnit(d.power_w, "W"), percent(d.bisection_share), d.step_s ? withUnit(d.step_s, "s") : live.isDraft ? "..." : "not for this cluster", d.step_s ? percent(d.exposed_share) : ""])}
          />
          <Drawing svg={data.svg} alt={`Drawing of ${data.networks.designs.length} network designs`} name="networks" />
        </>
      )}
    </Card>
  );
}

function MonthsCard({ live }: { live: Live<Months> }) {
  if (refuses(live)) return <Refused title="Months" live={live} />;
  const g = live.last;
  if (!g) return live.busy ? <Card title="Months" busy><p class="soft">Simulating failures.</p></Card> : null;
  const lost = Object.entries(g.lost_hours).filter(([, hours]) => hours > 0).sort((a, b) => b[1] - a[1]);
  const tones = ["t6", "t3", "t5", "t7", "t2", "t4", "t1"];
  // Where some runs never end there is no mean.
  const days = g.days.mean ?? g.days.median;
  return (
    <Card title="Months: what failures leave" busy={live.busy} note={`${live.isDraft ? `first ${g.runs}` : grouped(g.runs)} runs of ${withUnit(g.period_hours * 3600, "s")}`}>
      <dl class="figures">
        <Figure name="Useful time" value={percent(g.ettr.mean)} note={`95% of runs: ${percent(g.ettr.low)} to ${percent(g.ettr.high)}`} />
        <Figure name="Until trained" value={days === null ? (g.days.ended_share === null ? "unknown" : "never") : withUnit(days * 86400, "s")} note={`${g.days.ended_share !== null && g.days.ended_share < 1 ? `half of the runs; ${percent(1 - g.days.ended_share)} do not end; ` : ""}${withUnit(g.ideal_days * 86400, "s")} without failures`} />
        <Figure name="Cost with failures" value={g.usd === null ? "no end" : withUnit(g.usd, "USD")} note={`${withUnit(g.ideal_usd, "USD")} without`} />
        <Figure name="Interruptions" value={withUnit(g.interruptions.mean, "")} note={`a checkpoint every ${withUnit(g.checkpoint_interval_s, "s")}`} />
        <Figure name="Spare servers" value={String(g.spares)} note={g.best_spares === null ? "with none do all runs end" : `cheapest: ${g.best_spares}`} />
      </dl>
      <h3>Hours lost</h3>
      <Stack label="Hours lost" all={lost.reduce((sum, [, h]) => sum + h, 0)} pieces={lost.slice(0, 10).map(([name, value], i) => ({ name: name.replace(/_/g, " "), value, shown: `${value.toFixed(1)} h`, tone: tones[i] ?? "t8" }))} />
    </Card>
  );
}

function PlacesCard({ live }: { live: Live<Places> }) {
  if (refuses(live)) return <Refused title="Places" live={live} />;
  const data = live.last;
  if (data?.absent || (!data && !live.busy)) return null;
  return (
    <Card title="Places on the power grid" busy={live.busy}>
      {data?.site.unmet && (
        <p class="warnings">
          {data.site.unmet.constraint}: {data.site.unmet.shortfall}
        </p>
      )}
      {data && <Drawing svg={data.svg} alt="Map of the power grid with the sites that were found" name="map" />}
    </Card>
  );
}

/** Rows are made once they are looked at: a change makes hundreds of them anew. */
function QuantityList(props: { title: string; rows: Quantity[]; open: boolean }) {
  const [isOpen, setOpen] = useState(props.open);
  useEffect(() => setOpen(props.open), [props.open]);
  return (
    <details open={isOpen} onToggle={(e) => setOpen(e.currentTarget.open)}>
      <summary>
        {props.title} <span class="soft">{props.rows.length}</span>
      </summary>
      {isOpen && (
        <dl class="quantities">
          {props.rows.map((q) => (
            <div>
              <dt>
                {q.label} <code>{q.key}</code>
                {(q.formula || q.how || q.source) && <small>{[q.formula && `= ${q.formula}`, q.how, q.source].filter(Boolean).join("; ")}</small>}
              </dt>
              <dd>{q.shown}</dd>
            </div>
          ))}
        </dl>
      )}
    </details>
  );
}

function Quantities({ answer }: { answer: PlanAnswer }) {
  const [wanted, setWanted] = useState("");
  const has = (q: Quantity) => (q.key + " " + q.label).toLowerCase().includes(wanted.toLowerCase());
  return (
    <Card title="Every quantity" note="with its formula and source">
      <label class="filter">
        Filter <input type="search" value={wanted} onInput={(e) => setWanted(e.currentTarget.value)} placeholder="mfu, memory, power" />
      </label>
      {answer.sections.map((section) => {
        const rows = answer.quantities.filter((q) => q.key.startsWith(section.name + ".") && has(q));
        return rows.length > 0 && <QuantityList key={section.name} title={section.title} rows={rows} open={wanted !== ""} />;
      })}
    </Card>
  );
}

function PlanDetails({ answer }: { answer: PlanAnswer }) {
  return (
    <>
      <div class="pile">
        <StepCard plan={answer.plan} />
        <MemoryCard plan={answer.plan} />
      </div>
      <MappingCard plan={answer.plan} />
      <div class="pile">
        <Card title="A layer to scale">
          <Drawing svg={answer.layer_svg} alt="Forward and backward pass of one layer, to scale" name="layer" />
        </Card>
        <Card title="Where stages stand">
          <Drawing svg={answer.placement_svg} alt="Which pipeline stage stands in which HB domain" name="placement" />
        </Card>
      </div>
    </>
  );
}

export function Design(props: { plan: Live<PlanAnswer>; networks: Live<Networks>; months: Live<Months>; places: Live<Places>; goTo: (line: number, column: number) => void; search: () => void }) {
  const { plan } = props;
  const answer = plan.last;
  const [late, setLate] = useState(false);
  useEffect(() => {
    setLate(false);
    if (!plan.busy) return;
    const timer = setTimeout(() => setLate(true), 150); // quicker ones need no bar
    return () => clearTimeout(timer);
  }, [plan.busy, plan.asked]);
  const isOld = plan.answer !== null && plan.answer.kind !== "result";
  // What follows from the plan alone is drawn once, not again with each of the other answers.
  const headline = useMemo(() => answer && <Headline plan={answer.plan} />, [answer]);
  const details = useMemo(() => answer && <PlanDetails answer={answer} />, [answer]);
  const quantities = useMemo(() => answer && <Quantities answer={answer} />, [answer]);
  return (
    <>
      <div id="findings">
        <Trouble answer={plan.answer} goTo={props.goTo} search={props.search} />
      </div>
      {late && <Working busy={plan.busy} progress={plan.progress} since={plan.asked} what="Choosing a mapping; the next change cancels it" />}
      {answer && (
        <div class={isOld ? "results old" : "results"}>
          {isOld && <p class="soft">Below is the last plan that had an answer.</p>}
          {headline}
          <p class="soft tiny" role="status">{plan.took > 0 && !plan.busy ? `Planned in ${clock(plan.took)}.` : "\u00a0"}</p>
          {details}
          {!isOld && <NetworkCard live={props.networks} named={/^\s*\[\[design\]\]/m.test(plan.of)} />}
          {!isOld && (
            <div class="pile">
              <MonthsCard live={props.months} />
              <PlacesCard live={props.places} />
            </div>
          )}
          {quantities}
        </div>
      )}
    </>
  );
}
