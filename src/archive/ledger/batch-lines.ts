/** A planned batch as lines: what it adds to each file, and what its commit says. */
import type { Batch } from "../../kernel/ledger.ts";
import type { Commit } from "./commit-line.ts";
import { encodeRow } from "./frontier-line.ts";
import type { Plan, PlanContext } from "./plan.ts";
import { encodeRobots } from "./robots-line.ts";
import { encodeSettled } from "./settled-lines.ts";

export interface BatchLines {
  frontier: string[];
  refused: string[];
  fetched: string[];
  robots: string[];
  /** The keys of the notes that the lines of `robots` hold. */
  robotsKeys: string[];
  commit: Omit<Commit, "commit" | "records">;
}

export function encodeBatch<Rec>(batch: Batch<Rec>, plan: Plan<Rec>, { now, commit }: PlanContext<Rec>): BatchLines {
  const frontier = plan.frontier.map(encodeRow);
  const refused = plan.refused.map(encodeRow);
  const { fetched, settled, checks } = encodeSettled(plan.settled);
  // Of two notes with one key the last counts.
  const notes = new Map(batch.notes.map(({ key, value }) => [key, value]));
  const robots: string[] = [];
  const robotsKeys: string[] = [];
  for (const [key, value] of notes) {
    const line = encodeRobots({ key, value }, now, commit);
    if (line === null) continue;
    robots.push(line);
    robotsKeys.push(key);
    notes.delete(key);
  }
  const retried = plan.retried.map(({ id, attempt, notBefore }): [number, number, number] => [id, attempt, notBefore]);
  return {
    frontier,
    refused,
    fetched,
    robots,
    robotsKeys,
    commit: {
      lines: [frontier.length, refused.length],
      ...(settled.length > 0 && { settled, checks }),
      ...(retried.length > 0 && { retried }),
      ...(batch.lanes.size > 0 && { lanes: [...batch.lanes] }),
      ...(notes.size > 0 && { notes: [...notes] }),
    },
  };
}
