/** Tasks that ended, as lines of fetched_urls.txt and as the runs of a commit that belong to them. */
import { hexOf, type Run } from "./commit-line.ts";
import { checkOf, encodeFetched } from "./fetched-line.ts";
import type { Row } from "./frontier-line.ts";

export interface SettledTask {
  row: Pick<Row, "id" | "place" | "lane" | "key" | "verdict">;
  state: "done" | "failed";
}

export interface SettledLines {
  fetched: string[];
  settled: Run[];
  checks: string;
}

export function encodeSettled(tasks: readonly SettledTask[]): SettledLines {
  const fetched = tasks.map(({ row }) => encodeFetched(row.key));
  const settled: Run[] = [];
  for (const { row, state } of tasks) {
    const { id, place, lane, verdict } = row;
    let run = settled.at(-1);
    if (run === undefined || run[0] !== lane || run[1] !== state || run[3] !== verdict.reason) {
      run = [lane, state, [], verdict.reason];
      settled.push(run);
    }
    run[2].push(place === id ? id : [id, place]);
  }
  return { fetched, settled, checks: fetched.map((line) => hexOf(checkOf(line.slice(0, -1)))).join("") };
}
