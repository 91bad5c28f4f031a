/** kill -9 at random moments, state in SQLite: every good DID in exactly one block, none called completed that is not on disk. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { childEnd } from "../servers/child-end.ts";
import { makeFolder, startNetwork } from "./crawling.ts";
import { FAULTS, KILLS, killed, run } from "./killing.ts";

test(`state in SQLite: killed ${KILLS} times`, async (t) => {
  const network = await startNetwork(t, { accounts: [90, 90, 90, 90, 90], faults: FAULTS, pageSize: 25 });
  const folder = makeFolder(t);
  const stored = async (): Promise<string[]> => {
    using db = new DatabaseSync(join(folder, "rca", "state.db"));
    const rows = db.prepare("SELECT did FROM dids WHERE failure IS NULL AND final = 1").all();
    return rows.map((row) => row["did"] as string);
  };
  await killed(t, network, folder, { settings: {}, stored });
});

test("a state that one process uses is refused to another", async (t) => {
  const network = await startNetwork(t, { accounts: [200] });
  const folder = makeFolder(t);
  const first = run(network, folder, {}, 1);
  t.after(() => first.kill("SIGKILL"));
  await network.until(1);
  const { code, said } = await childEnd(run(network, folder, {}));
  assert.equal(code, 1);
  assert.match(said, /STATE_BUSY|Another process crawls/);
  first.kill("SIGKILL");
  await childEnd(first);
});
