// An answer as one HTML file, as `--report` writes it.
import { ask, pageOfJob } from "./api";
import type { Scene } from "./scene";
import { saveFile } from "./share";

const fileOf = (scene: Scene, of: string) => `${scene.name.replace(/\.toml$/, "")}-${of}.html`;

/** The page of work that has ended: nothing is run again. */
export async function saveJob(scene: Scene, of: string, id: string): Promise<void> {
  const html = await pageOfJob(id);
  if (html) saveFile(fileOf(scene, of), html, "text/html");
  scene.say(html ? "The report is saved." : "No report: the server is away, or has forgotten this work.");
}

export async function saveReport(scene: Scene, of: string): Promise<void> {
  scene.say("Making the report…");
  const answer = await ask<{ html: string }>("report", { ...scene.question(), of }, new AbortController().signal);
  if (answer.kind === "result") {
    saveFile(fileOf(scene, of), answer.result.html, "text/html");
    scene.say("The report is saved.");
  } else {
    scene.say(answer.kind === "failed" ? `No report: ${answer.why}` : answer.kind === "free" ? "No report: settings are left free, and Search finds their values." : "No report: the scenario has no such answer.");
  }
}
