// The page: the scenario on one side, what follows from it on the other.
import { useCallback, useEffect, useMemo, useRef, useState } from "preact/hooks";
import { document_, NoDocument, setToken, type Finding } from "./api";
import { Compare, type Pinned } from "./compare";
import { Design, type Months, type Networks, type Places, type PlanAnswer } from "./design";
import { Editor, type GoTo } from "./editor";
import { Form } from "./form";
import { isUnderWay, Jobs, useJobs } from "./jobs";
import { useLive, type Live } from "./live";
import { saveReport } from "./report";
import { Reports, type ReportKind } from "./reports";
import { Search, Simulate, Sweeps } from "./runs";
import type { Scene } from "./scene";
import { Settings, type SettingsDocument } from "./settings";
import { linkOf, saveFile } from "./share";
import { Timeline } from "./timeline";

interface Shipped {
  name: string;
  title: string;
  text: string;
  leaves_free: boolean;
}

interface About {
  version: string;
  threads: number;
  reports: ReportKind[];
}

export interface Known {
  about: About;
  settings: Settings;
  scenarios: Shipped[];
}

const kTabs = ["Design", "Compare", "Timeline", "Search", "Simulate", "Sweeps", "Reports", "Jobs"] as const;
type Tab = (typeof kTabs)[number];
const kFirstScenario = "llama3-405b";
const kNoFindings: Finding[] = [];
const kQuickPlan = 500; // ms that a plan takes whose mapping is held, on a busy machine too
const kViews = ["Form", "TOML", "Both"] as const;
type View = (typeof kViews)[number];

async function loadKnown(): Promise<Known> {
  const [about, settings, scenarios] = await Promise.all([document_<About>("about"), document_<SettingsDocument>("settings"), document_<Shipped[]>("scenarios")]);
  return { about, settings: new Settings(settings), scenarios };
}

/** Where the token is missing or the server away: says so, and tries again. */
export function Start(props: { linked: string | null }) {
  const [known, setKnown] = useState<Known | null>(null);
  const [status, setStatus] = useState(-1);
  const load = useCallback(() => {
    loadKnown().then(setKnown, (error) => setStatus(error instanceof NoDocument ? error.status : 0));
  }, []);
  useEffect(load, []);
  if (known) return <App known={known} linked={props.linked} />;
  if (status < 0) return <main class="alone" aria-busy="true">Loading.</main>;
  return (
    <main class="alone">
      <h1>Trainyard</h1>
      {status === 403 ? (
        <form
          onSubmit={(e) => {
            e.preventDefault();
            setToken(new FormData(e.currentTarget).get("token") as string);
            setStatus(-1);
            load();
          }}
        >
          <p>This page needs the token of the address that `trainyard serve` printed when it began.</p>
          <label for="token">Address or token</label>
          <input id="token" name="token" type="text" autocomplete="off" required />
          <button type="submit" class="primary">
            Open
          </button>
        </form>
      ) : (
        <>
          <p role="alert">The server does not answer. Is `trainyard serve` still running?</p>
          <button type="button" class="primary" onClick={load}>
            Try again
          </button>
        </>
      )}
    </main>
  );
}

function useTheme(): [string, () => void] {
  const [theme, setTheme] = useState(localStorage.getItem("trainyard.theme") ?? "auto");
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem("trainyard.theme", theme);
  }, [theme]);
  const next = { auto: "light", light: "dark", dark: "auto" }[theme] ?? "auto";
  return [theme, () => setTheme(next)];
}

/** Left and right move through tabs, as readers of screens expect. */
function Tabs<T extends string>(props: { all: readonly T[]; now: T; set: (one: T) => void; label: string; panel: string; marks?: Partial<Record<T, string>> }) {
  const onKey = (event: KeyboardEvent) => {
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (by === 0) return;
    event.preventDefault();
    const next = props.all[(props.all.indexOf(props.now) + by + props.all.length) % props.all.length];
    props.set(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div role="tablist" aria-label={props.label} class="tabs" onKeyDown={onKey}>
      {props.all.map((one) => (
        <button type="button" role="tab" id={`tab-${one}`} aria-selected={one === props.now} aria-controls={props.panel} tabIndex={one === props.now ? 0 : -1} onClick={() => props.set(one)}>
          {one}
          {props.marks?.[one] && <span class="mark">{props.marks[one]}</span>}
        </button>
      ))}
    </div>
  );
}

function initial(known: Known, linked: string | null): { name: string; text: string } {
  if (linked !== null) return { name: "linked.toml", text: linked };
  const kept = sessionStorage.getItem("trainyard.text");
  if (kept !== null) return { name: sessionStorage.getItem("trainyard.name") ?? "mine.toml", text: kept };
  const first = known.scenarios.find((s) => s.name === kFirstScenario) ?? known.scenarios[0];
  return { name: first.name, text: first.text };
}

function App({ known, linked }: { known: Known; linked: string | null }) {
  const begin = useMemo(() => initial(known, linked), []);
  const [name, setName] = useState(begin.name);
  const [text, setText] = useState(begin.text);
  const [tab, setTab] = useState<Tab>("Design");
  const [view, setView] = useState<View>((localStorage.getItem("trainyard.view") as View) ?? "Form");
  const [goTo, setGoTo] = useState<GoTo | null>(null);
  const [said, setSaid] = useState("");
  const [pinned, setPinned] = useState<Pinned[]>([]);
  const [theme, nextTheme] = useTheme();
  const [again, setAgain] = useState(0);
  const work = useJobs();
  const file = useRef<HTMLInputElement>(null);

  useEffect(() => {
    sessionStorage.setItem("trainyard.text", text);
    sessionStorage.setItem("trainyard.name", name);
  }, [text, name]);
  useEffect(() => localStorage.setItem("trainyard.view", view), [view]);
  useEffect(() => {
    if (!said) return;
    const timer = setTimeout(() => setSaid(""), 5000);
    return () => clearTimeout(timer);
  }, [said]);

  // The plan at once and the rest beside it, so that all of it is drawn within 100 ms; the rest waits where plans take
  // longer, as they do with a mapping that is searched, or where the last text had none.
  const asked = again > 0 ? text + "\n".repeat(again % 2) : text;
  const plan = useLive<PlanAnswer>("plan", name, asked, true);
  const settled = plan.answer?.kind === "result" && plan.of === asked;
  const isQuick = plan.answer?.kind === "result" && plan.took < kQuickPlan;
  const looks = tab === "Design" && (settled || isQuick);
  const places = useLive<Places>("site", name, asked, looks);
  const networks = useLive<Networks>("networks", name, asked, looks);
  const months = useLive<Months>("goodput", name, asked, looks);
  // What is wrong with a text is said once, by its plan: the others say what the text as such cannot have.
  const beside = <T,>(live: Live<T>): Live<T> => (settled ? live : { ...live, busy: true, answer: live.answer?.kind === "infeasible" ? live.answer : null });
  const isFree = plan.answer?.kind === "free";
  const isAway = plan.answer?.kind === "away";
  useEffect(() => {
    if (!isAway) return;
    const timer = setInterval(() => setAgain((n) => n + 1), 2000);
    return () => clearInterval(timer);
  }, [isAway]);

  const findings = plan.answer?.kind === "findings" && plan.answered === asked ? plan.answer.findings : kNoFindings;
  const show = useCallback((line: number, column: number) => {
    setView((v) => (v === "Form" ? "TOML" : v));
    setGoTo({ line, column, when: Date.now() });
  }, []);
  const scene: Scene = {
    name,
    text,
    threads: known.about.threads,
    question: () => ({ name, text }),
    change: setText,
    goTo: show,
    say: setSaid,
  };
  const now: Pinned | null = plan.last && settled ? { name, text, answer: plan.last } : null;
  const pin = () => {
    if (!now) return;
    setPinned((all) => [...all, now].slice(-5));
    setSaid("Kept for comparison.");
  };
  const underWay = work.jobs.filter(isUnderWay).length;
  const shipped = known.scenarios.find((s) => s.name === name);
  const open = (wanted: string) => {
    const one = known.scenarios.find((s) => s.name === wanted);
    if (!one) return;
    setName(one.name);
    setText(one.text);
  };
  const share = async () => {
    const link = await linkOf(text);
    try {
      await navigator.clipboard.writeText(link);
      setSaid("The link is in the clipboard. Its reader needs a `trainyard serve` of their own at this address.");
    } catch {
      history.replaceState(null, "", link);
      setSaid("The link is in the address bar.");
    }
  };

  // Hundreds of fields, which answers that come in leave as they are.
  const form = useMemo(() => view !== "TOML" && <Form settings={known.settings} text={text} change={setText} findings={findings} />, [view, text, findings]);
  const editor = useMemo(() => view !== "Form" && <Editor text={text} change={setText} findings={findings} goTo={goTo} />, [view, text, findings, goTo]);

  return (
    <>
      <a class="skip" href="#results">
        To the results
      </a>
      <header class="top">
        <h1>Trainyard</h1>
        <label class="pick">
          <span class="unseen">Scenario to begin with</span>
          <select value={shipped?.text === text ? name : ""} onChange={(e) => open(e.currentTarget.value)}>
            <option value="" disabled>
              {shipped ? `${name}, changed` : name}
            </option>
            {known.scenarios.map((s) => (
              <option value={s.name}>
                {s.name}: {s.title}
              </option>
            ))}
          </select>
        </label>
        <div class="row tools">
          <button type="button" onClick={() => file.current!.click()}>
            Open
          </button>
          <input
            ref={file}
            type="file"
            accept=".toml,text/plain"
            class="unseen"
            tabIndex={-1}
            aria-label="A scenario file"
            onChange={async (e) => {
              const one = e.currentTarget.files?.[0];
              e.currentTarget.value = "";
              if (!one) return;
              if (one.size > 900_000) return setSaid("A scenario has at most 900 kB.");
              setName(one.name);
              setText(await one.text());
            }}
          />
          <button type="button" onClick={() => saveFile(name.endsWith(".toml") ? name : name + ".toml", text, "application/toml")}>
            Save
          </button>
          <button type="button" onClick={share}>
            Link
          </button>
          <button type="button" onClick={() => saveReport(scene, "plan")}>
            Report
          </button>
          <button type="button" onClick={pin} disabled={!now}>
            Keep
          </button>
          <button type="button" onClick={nextTheme} aria-label={`Colours: ${theme}`}>
            {theme === "auto" ? "Auto" : theme === "dark" ? "Dark" : "Light"}
          </button>
        </div>
      </header>
      <div class={"work view-" + view.toLowerCase()}>
        <section class="source" aria-label="Scenario">
          <Tabs all={kViews} now={view} set={setView} label="How the scenario is shown" panel="source" />
          <div id="source" role="tabpanel" aria-labelledby={`tab-${view}`} class="panes">
            {form}
            {editor}
          </div>
        </section>
        <main id="results" tabIndex={-1}>
          <Tabs all={kTabs} now={tab} set={setTab} label="Pages" panel="page" marks={{ Compare: pinned.length > 0 ? String(pinned.length) : undefined, Jobs: underWay > 0 ? String(underWay) : undefined }} />
          <div id="page" role="tabpanel" aria-labelledby={`tab-${tab}`}>
            {tab === "Design" && <Design plan={plan} networks={beside(networks)} months={beside(months)} places={beside(places)} goTo={show} search={() => setTab("Search")} />}
            {tab === "Compare" && (
              <Compare
                pinned={pinned}
                now={now}
                pin={pin}
                unpin={(at) => setPinned((all) => all.filter((_, i) => i !== at))}
                open={(one) => {
                  setName(one.name);
                  setText(one.text);
                }}
              />
            )}
            {tab === "Timeline" && <Timeline scene={scene} />}
            {tab === "Search" && <Search scene={scene} />}
            {tab === "Simulate" && <Simulate scene={scene} />}
            {tab === "Sweeps" && <Sweeps scene={scene} />}
            {tab === "Reports" && <Reports scene={scene} kinds={known.about.reports} />}
            {tab === "Jobs" && <Jobs jobs={work.jobs} look={work.look} open={(page) => setTab(page as Tab)} />}
          </div>
        </main>
      </div>
      <footer>
        Trainyard {known.about.version}. Answers are those of the command line, to the last digit: <code>trainyard {isFree ? "search" : "plan"} {name}</code>. The page is built with Preact (MIT), Apache ECharts (Apache 2.0) and zrender (BSD).
      </footer>
      <div class={"said" + (said ? " on" : "")} role="status">
        {said}
      </div>
    </>
  );
}
