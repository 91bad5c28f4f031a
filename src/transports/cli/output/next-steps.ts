/** What to type next: the end of a crawl is where most of its questions begin. */
import type { Style } from "./style.ts";
import { padEnd } from "./width.ts";

export type Step = [command: string, meaning: string];

export const afterCrawl = (id: number): Step[] => [
  [`trawl show ${id}`, "this summary again"],
  [`trawl urls ${id} --filter "status>=400"`, "URLs, filtered and sorted"],
  [`trawl why ${id} <url>`, "why a URL was crawled or not"],
  [`trawl links ${id} <url>`, "what links to it, and what it links to"],
  [`trawl export ${id} --output urls.csv`, "everything, as CSV or JSONL"],
];

export const toResume = (id: number): Step[] => [[`trawl resume ${id}`, "goes on where it stopped"]];

export function stepLines(steps: Step[], style: Style): string[] {
  const width = Math.max(...steps.map(([command]) => command.length));
  return steps.map(([command, meaning]) => `  ${padEnd(command, width)}  ${style.dim(meaning)}`);
}
