// An answer as one HTML file, as `--report` writes it.
import { ask } from "./api";
import type { Scene } from "./scene";
import { saveFile } from "./share";

export async function saveReport(scene: Scene, of: string, options: Record<string, unknown> = {}): Promise<void> {
  scene.say("Making the report…");
  const answer = await ask<{ html: string }>("report", { ...scene.question(), of, ...options }, new AbortController().signal);
  if (answer.kind === "result") {
    saveFile(`${scene.name.replace(/\.toml$/, "")}-${of}.html`, answer.result.html, "text/html");
    scene.say("The report is saved.");
  } else {
    scene.say(answer.kind === "failed" ? `No report: ${answer.why}` : answer.kind === "free" ? "No report: settings are left free, and Search finds their values." : "No report: the scenario has no such answer.");
  }
}
