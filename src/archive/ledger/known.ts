/** Tells everything a ledger knows, oldest first. The files lie in other orders: a block of ids is read at a time. */
import type { Known } from "../../kernel/ledger.ts";
import type { AppendFile } from "../../storage/append-file.ts";
import { decodeFetched } from "./fetched-line.ts";
import { decodeRow } from "./frontier-line.ts";
import type { LedgerFiles } from "./ledger-files.ts";
import { linesAt } from "./lines-at.ts";
import type { Recovery } from "./recover.ts";
import { DONE, FAILED, OPEN, REFUSED, type TaskIndex } from "./task-index.ts";

/** Few enough that what is made of them does not outlive a collection of young objects: opening needs no more memory than having. */
const BLOCK = 1_024;

export async function tellKnown(
  files: LedgerFiles,
  { index, settled }: Recovery,
  onKnown: (known: Known) => void,
): Promise<void> {
  for (let first = 1; first <= index.highest; first += BLOCK) {
    const known = new Array<Known | undefined>(BLOCK);
    const read = async (file: AppendFile, states: number[], make: (id: number, line: Buffer) => Known) => {
      const ids = idsOf(index, first, states);
      const lines = await linesAt(
        file,
        ids.map((id) => index.offset(id)),
      );
      for (const [at, id] of ids.entries()) known[id - first] = make(id, lines[at]!);
    };
    await read(files.frontier, [OPEN], (_, line) => ofRow(line, "open"));
    await read(files.refused, [REFUSED], (_, line) => ofRow(line, null));
    await read(files.fetched, [DONE, FAILED], (id, line) => {
      const state = index.state(id) === DONE ? "done" : "failed";
      const { place, lane, reason } = settled.get(id);
      return { id, place, key: decodeFetched(line.toString())!, lane, action: "crawl", reason, state };
    });
    for (const each of known) if (each !== undefined) onKnown(each);
    // Only lines of open tasks are asked for from here on.
    for (const id of idsOf(index, first, [REFUSED, DONE, FAILED])) index.unlocate(id);
  }
}

function idsOf(index: TaskIndex, first: number, states: readonly number[]): number[] {
  const ids: number[] = [];
  for (let id = first; id < first + BLOCK; id++) if (states.includes(index.state(id))) ids.push(id);
  return ids;
}

function ofRow(line: Buffer, state: "open" | null): Known {
  const { id, place, key, lane, verdict } = decodeRow(line)!;
  return { id, place, key, lane, action: verdict.action, reason: verdict.reason, state };
}
