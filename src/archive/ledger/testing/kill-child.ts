/** A process that commits to files without end, to be killed: `node kill-child.ts <folder> <first commit>`. */
import { writeSync } from "node:fs";
import { commitNumber } from "../../../kernel/testing/kill-child.ts";
import { TestLedger } from "./file-harness.ts";

/** Commits under way at once: a kill always finds some. */
const PIPELINE = 4;

async function main(folder: string, first: number): Promise<void> {
  const ledger = new TestLedger(folder, () => {});
  await ledger.open(() => {});
  const underWay: Promise<void>[] = [];
  for (let number = first; ; number++) {
    underWay.push(ledger.commit(commitNumber(number)).then(() => void writeSync(1, `${number}\n`)));
    if (underWay.length >= PIPELINE) await underWay.shift();
  }
}

if (import.meta.main) await main(process.argv[2]!, Number(process.argv[3]));
