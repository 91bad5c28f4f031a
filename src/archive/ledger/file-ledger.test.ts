/** The file ledger keeps the promises of a ledger, and random use of it with crashes leaves what the model says. */

import { appendFileSync } from "node:fs";
import { it } from "node:test";
import { fileURLToPath } from "node:url";
import { ledgerConformance } from "../../kernel/testing/conformance.ts";
import { killRounds } from "../../kernel/testing/kill-rounds.ts";
import { ledgerProperties } from "../../kernel/testing/ledger-model.ts";
import { seededRandom } from "../../kernel/testing/random.ts";
import { ledgerPaths } from "./ledger-files.ts";
import { fileHarness } from "./testing/file-harness.ts";

ledgerConformance("FileLedger", async () => fileHarness());
ledgerProperties("FileLedger", async () => fileHarness(), 40);

const random = seededRandom(5);
const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;

/** What a crash or a power cut leaves behind the last commit: half a line, none, zeros, or whole lines that do not count. */
const ENDS = ["", "", "{", '{"url":"https://a.example/","depth":1,"sc', "\u0000\u0000\u0000", "\n\n", "garbage\nhalf"];
const UNCOMMITTED =
  '{"url":"new","depth":0,"score":0,"page_type":"","referrer":null,"discovered_at":1,"commit":99999,"id":1}\n';

function tearEnds(folder: string): void {
  const { frontier, refused, fetched, robots, commits } = ledgerPaths(folder);
  for (const path of [fetched, robots, commits]) appendFileSync(path, pick(ENDS));
  for (const path of [frontier, refused]) appendFileSync(path, pick([...ENDS, UNCOMMITTED]) + pick(ENDS));
}

ledgerProperties("FileLedger with torn ends", async () => fileHarness(tearEnds), 40);

/** Killed with SIGKILL between commits, again and again: what is left is the first commits, each of them whole. */
it("kill -9 among commits loses none that was durable and halves none", async () => {
  const harness = fileHarness();
  const script = fileURLToPath(new URL("./testing/kill-child.ts", import.meta.url));
  await killRounds({ script, place: harness.folder, harness });
  await harness.dispose();
});
