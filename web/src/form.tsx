// The scenario as a form: what people change first, with sliders, and every other setting below.
import { useMemo, useRef, useState } from "preact/hooks";
import type { Finding } from "./api";
import type { Settings } from "./settings";
import { countOf, lineOf, literalOf, rawValue, shownValue, withValue, type Place } from "./toml";

const kPowers = (from: number, to: number) => {
  const out: string[] = [];
  for (let value = from; value <= to; value *= 2) out.push(String(value));
  return out;
};
const kRates = ["50 Gbps", "100 Gbps", "200 Gbps", "400 Gbps", "800 Gbps", "1.6 Tbps", "3.2 Tbps"];
const kScaleUp = ["450 GB/s", "900 GB/s", "1.8 TB/s", "3.6 TB/s", "7.2 TB/s"];

/** What is shown first: settings by topic, with the stops of a slider where one helps. */
const kFirst: { title: string; keys: [string, string[]?][] }[] = [
  { title: "Facility", keys: [["facility.devices", kPowers(64, 262144)], ["facility.budget"], ["facility.power_limit"], ["facility.hb_domain"]] },
  { title: "Model and training", keys: [["model.name"], ["training.batch_tokens", kPowers(1048576, 134217728)], ["training.tokens"], ["training.software"]] },
  {
    title: "Mapping",
    keys: [["mapping.tensor", kPowers(1, 64)], ["mapping.pipeline", kPowers(1, 64)], ["mapping.context", kPowers(1, 32)], ["mapping.expert", kPowers(1, 64)], ["mapping.expert_tensor", kPowers(1, 16)], ["mapping.virtual_stages", kPowers(1, 16)], ["mapping.microbatch", kPowers(1, 16)], ["mapping.zero_stage"], ["mapping.recompute"]],
  },
  { title: "Network", keys: [["network.scale_out_rate", kRates], ["network.scale_up_rate", kScaleUp], ["network.scale_out_efficiency"], ["network.scale_out_latency"]] },
  { title: "Cost", keys: [["facility.electricity_price"], ["facility.load"], ["facility.depreciation"]] },
];

interface FieldProps {
  settings: Settings;
  setting: string;
  element: number;
  text: string;
  change: (text: string) => void;
  findings: Finding[];
  stops?: string[];
}

function placeOf(key: string, element: number): Place {
  const dot = key.lastIndexOf(".");
  return { section: key.slice(0, dot), element, key: key.slice(dot + 1) };
}

/** Where the key's own words mislead. */
const kWords: Record<string, string> = {
  "facility.hb_domain": "HB domain",
  "model.name": "Model",
  "training.tokens": "Training tokens",
  "mapping.zero_stage": "ZeRO stage",
  "mapping.tensor": "Tensor parallelism",
  "mapping.pipeline": "Pipeline stages",
  "mapping.context": "Context parallelism",
  "mapping.expert": "Expert parallelism",
  "mapping.expert_tensor": "Tensor ranks of an expert",
};

function wordsOf(key: string): string {
  if (kWords[key]) return kWords[key];
  const name = key.slice(key.lastIndexOf(".") + 1).replace(/_/g, " ");
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** The stop nearest to a value, in order; the middle where it is none of them. */
function stopOf(value: string, stops: string[]): number {
  const exact = stops.indexOf(value);
  if (exact >= 0) return exact;
  const number = Number(value.replace(/_/g, ""));
  if (value && Number.isFinite(number)) {
    const at = stops.findIndex((s) => Number(s) >= number);
    return at < 0 ? stops.length - 1 : at;
  }
  return Math.floor(stops.length / 2);
}

/** Drawn anew where something of its own has changed: one change of a text leaves a hundred others as they are. */
function Field(props: FieldProps) {
  const place = placeOf(props.setting, props.element);
  const raw = rawValue(props.text, place);
  const line = lineOf(props.text, place);
  const wrong = props.findings.find((f) => (line > 0 && f.line === line) || (f.line === 0 && f.message.includes(props.setting)));
  const now = useRef(props);
  now.current = props;
  const change = (literal: string | null) => now.current.change(withValue(now.current.text, place, literal, props.settings.isRepeated(place.section)));
  return useMemo(() => fieldOf(props, raw, wrong, change), [props.settings, props.setting, props.element, props.stops, raw, wrong]);
}

function fieldOf(props: FieldProps, raw: string | null, wrong: Finding | undefined, change: (literal: string | null) => void) {
  const setting = props.settings.find(props.setting);
  if (!setting) return null;
  const value = shownValue(raw);
  const id = `f-${props.setting}-${props.element}`;
  const put = (typed: string) => change(typed.trim() === "" ? null : literalOf(typed, setting.type));
  const choices = setting.type === "true or false" ? ["true", "false"] : props.settings.choices(props.setting);
  const names = props.settings.names(props.setting);
  const isFree = raw !== null && /^\{\s*search\s*=/.test(raw);
  const fallback = setting.default || "not set";
  const described = {
    id,
    "aria-describedby": `${id}-hint`,
    "aria-invalid": wrong !== undefined,
  };
  const isPlain = choices.length > 0 && (value === "" || choices.includes(value));
  return (
    <div class={"field" + (raw !== null ? " given" : "")}>
      <label for={id}>{wordsOf(props.setting)}</label>
      <div class="entry">
        {isPlain ? (
          <select {...described} value={value} onChange={(e) => put(e.currentTarget.value)}>
            <option value="">{fallback}</option>
            {choices.map((c) => (
              <option value={c}>{c}</option>
            ))}
          </select>
        ) : (
          <input {...described} type="text" value={value} placeholder={fallback} list={names.length > 0 ? `${id}-names` : undefined} onInput={(e) => put(e.currentTarget.value)} autocomplete="off" spellcheck={false} />
        )}
        {names.length > 0 && (
          <datalist id={`${id}-names`}>
            {names.map((n) => (
              <option value={n} />
            ))}
          </datalist>
        )}
        {raw !== null && (
          <button type="button" class="clear" title="Back to its default" aria-label={`${wordsOf(props.setting)}: back to its default`} onClick={() => put("")}>
            ×
          </button>
        )}
      </div>
      {props.stops && (
        <input
          type="range"
          min={0}
          max={props.stops.length - 1}
          step={1}
          value={stopOf(value, props.stops)}
          class={raw === null ? "unset" : ""}
          aria-label={`${wordsOf(props.setting)}, slider`}
          aria-valuetext={value || fallback}
          onInput={(e) => put(props.stops![Number(e.currentTarget.value)])}
        />
      )}
      <p id={`${id}-hint`} class={wrong ? "hint bad" : "hint"}>
        {wrong ? `${wrong.message}${wrong.help ? `. ${wrong.help}` : ""}` : isFree ? "Left free: Search finds its best value." : setting.sentence}
      </p>
    </div>
  );
}

type FormProps = Omit<FieldProps, "setting" | "element" | "stops">;

function AllOf(props: FormProps) {
  const sections = props.settings.sections();
  const [section, setSection] = useState("assumptions");
  const [element, setElement] = useState(0);
  const repeated = props.settings.isRepeated(section);
  const count = countOf(props.text, section);
  return (
    <fieldset>
      <legend>Every setting</legend>
      <div class="pick">
        <label for="section">Section</label>
        <select
          id="section"
          value={section}
          onChange={(e) => {
            setSection(e.currentTarget.value);
            setElement(0);
          }}
        >
          {sections.map((s) => (
            <option value={s}>{s}</option>
          ))}
        </select>
        {repeated && (
          <>
            <label for="element">Number</label>
            <select id="element" value={String(element)} onChange={(e) => setElement(Number(e.currentTarget.value))}>
              {Array.from({ length: count + 1 }, (_, i) => (
                <option value={String(i)}>{i < count ? i + 1 : "new"}</option>
              ))}
            </select>
          </>
        )}
      </div>
      <p class="hint">{props.settings.sentenceOf(section)}</p>
      <div class="fields" key={section + element}>
        {props.settings.of(section).map((s) => (
          <Field {...props} setting={s.key} element={element} />
        ))}
      </div>
    </fieldset>
  );
}

export function Form(props: FormProps) {
  const title = rawValue(props.text, { section: "", element: 0, key: "title" });
  return (
    <form class="form" onSubmit={(e) => e.preventDefault()} aria-label="Scenario as a form">
      <div class="field">
        <label for="title">Title</label>
        <div class="entry">
          <input
            id="title"
            type="text"
            value={shownValue(title)}
            onInput={(e) => props.change(withTitle(props.text, e.currentTarget.value))}
          />
        </div>
      </div>
      {kFirst.map((group) => (
        <fieldset>
          <legend>{group.title}</legend>
          <div class="fields">
            {group.keys.map(([key, stops]) => (
              <Field {...props} setting={key} element={0} stops={stops} />
            ))}
          </div>
        </fieldset>
      ))}
      <AllOf {...props} />
    </form>
  );
}

/** The title stands above all sections. */
function withTitle(text: string, title: string): string {
  const place = { section: "", element: 0, key: "title" };
  if (rawValue(text, place) !== null) return withValue(text, place, JSON.stringify(title));
  return `title = ${JSON.stringify(title)}\n${text}`;
}
