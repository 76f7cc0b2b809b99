// Scenarios side by side, with differences against the first.
import type { PlanAnswer } from "./design";
import { change } from "./format";
import { toldApart } from "./toml";

export interface Pinned {
  name: string;
  text: string;
  answer: PlanAnswer;
}

const kRows = ["facility.hb_domain", "facility.devices", "facility.power_high_w", "model.parameters", "mapping.tensor", "mapping.pipeline", "mapping.context", "mapping.expert", "mapping.expert_tensor", "mapping.data", "mapping.virtual_stages", "mapping.microbatch", "mapping.zero_stage", "mapping.device_total_bytes", "mapping.device_memory_share", "step.batch_s", "step.batch_low_s", "step.batch_high_s", "step.batch_exposed_share", "step.batch_exposed_share_low", "step.batch_exposed_share_high", "step.bubble_share", "step.mfu", "step.tokens_per_second", "step.days_to_train_s", "cost.run_usd", "cost.per_million_tokens_usd", "cost.energy_per_token_j"];

function valueOf(answer: PlanAnswer, key: string): unknown {
  const [section, name] = key.split(".");
  return answer.plan[section]?.[name];
}

function cell(answer: PlanAnswer, key: string, first: PlanAnswer) {
  const q = answer.quantities.find((one) => one.key === key);
  const a = valueOf(answer, key);
  const b = valueOf(first, key);
  const by = answer !== first && typeof a === "number" && typeof b === "number" ? change(a, b) : "";
  const differs = answer !== first && a !== b;
  return (
    <td class={differs ? "differs" : ""}>
      {q?.shown ?? "none"} {by && <small>{by}</small>}
    </td>
  );
}

export function Compare(props: { pinned: Pinned[]; now: Pinned | null; unpin: (at: number) => void; open: (one: Pinned) => void; pin: () => void }) {
  const all = props.now ? [...props.pinned, props.now] : props.pinned;
  if (props.pinned.length === 0) {
    return (
      <div class="empty">
        <h2>Compare scenarios</h2>
        <p>Keep the scenario as it is now, change it, and see both side by side. What you keep stays in this tab.</p>
        <button type="button" class="primary" disabled={!props.now} onClick={props.pin}>
          Keep this one
        </button>
      </div>
    );
  }
  const first = all[0].answer;
  const names = toldApart(all.map((one) => ({ title: one.answer.plan.title || one.name, text: one.text })));
  const label = (key: string) => first.quantities.find((q) => q.key === key)?.label ?? key;
  return (
    <div class="scroll" tabIndex={0} role="group" aria-label="Scenarios side by side">
      <table class="compare">
        <caption class="unseen">Scenarios side by side; differences are against the first</caption>
        <thead>
          <tr>
            <th scope="col">Quantity</th>
            {all.map((one, i) => (
              <th scope="col">
                <span>{names[i]}</span>
                {i < props.pinned.length ? (
                  <span class="row">
                    <button type="button" onClick={() => props.open(one)} aria-label={`Open ${names[i]}`}>
                      Open
                    </button>
                    <button type="button" onClick={() => props.unpin(i)} aria-label={`Drop ${names[i]}`}>
                      Drop
                    </button>
                  </span>
                ) : (
                  <span class="row">
                    <small>now</small>
                    <button type="button" onClick={props.pin}>
                      Keep
                    </button>
                  </span>
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {kRows.map((key) => (
            <tr>
              <th scope="row">{label(key)}</th>
              {all.map((one) => cell(one.answer, key, first))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
