/** What to type next: the end of a crawl is where most of its questions begin. */
import type { Style } from "./style.ts";
import { table } from "./table.ts";

/** What follows the program's name, and what it does. */
export type Step = [typed: string, meaning: string];

export const afterCrawl = (id: number): Step[] => [
  [`show ${id}`, "this summary again"],
  [`urls ${id} --filter "status>=400"`, "URLs, filtered and sorted"],
  [`why ${id} <url>`, "why a URL was crawled or not"],
  [`links ${id} <url>`, "what links to it, and what it links to"],
  [`export ${id} --output urls.csv`, "everything, as CSV or JSONL"],
];

export const toResume = (id: number): Step[] => [[`resume ${id}`, "goes on where it stopped"]];

/** Whoever came by npx has no `trawl` to type. */
const programName = (env: NodeJS.ProcessEnv): string => (env["npm_command"] === "exec" ? "npx trawl" : "trawl");

export function stepLines(
  steps: Step[],
  style: Style,
  env: NodeJS.ProcessEnv,
  width: number = Number.POSITIVE_INFINITY,
): string[] {
  return table({
    columns: [{ title: "" }, { title: "", wrapped: true, least: 12 }],
    rows: steps.map(([typed, meaning]) => [`${programName(env)} ${typed}`, { text: meaning, style: style.dim }]),
    width,
    indent: 2,
  });
}
