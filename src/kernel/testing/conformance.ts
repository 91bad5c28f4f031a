/**
 * What any ledger promises, as tests: the promises of `ledger.ts`, and what the crawl loop relies on besides.
 *
 * A ledger is of one of two forms. The queue form stores what is admitted until it is settled; the cursor form stores what
 * is settled and how far the sources were read, so that nothing is forgotten because the sources are read again from
 * there. A ledger passes all that is stated of its form, or it is not one.
 */
import { describe, it } from "node:test";
import { commonPromises } from "./common-promises.ts";
import { cursorPromises } from "./cursor-promises.ts";
import type { MakeHarness } from "./ledger-harness.ts";
import type { Promises } from "./promise-samples.ts";
import { queuePromises } from "./queue-promises.ts";

export type LedgerForm = "queue" | "cursor";

export function ledgerConformance(name: string, makeHarness: MakeHarness, form: LedgerForm = "queue"): void {
  const promise: Promises = (title, body) => {
    it(title, async () => {
      const harness = await makeHarness();
      try {
        await body(harness);
      } finally {
        await harness.dispose();
      }
    });
  };

  describe(`${name} keeps the promises of a ledger`, { concurrency: 4 }, () => {
    commonPromises(promise);
    if (form === "queue") queuePromises(promise);
    else cursorPromises(promise);
  });
}
