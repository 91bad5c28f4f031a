/** `forget` after crashes, interrupted crawls and imports: nothing that they left has the account any more, or it is named. */
import assert from "node:assert/strict";
import { copyFileSync, readdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { forgetAccount } from "../../src/atproto/atproto-status.ts";
import { keyOf } from "../../src/atproto/catalogue/catalogue-record.ts";
import { IDENTITY_FOLDER } from "../../src/atproto/folder-files.ts";
import { Identities } from "../../src/atproto/identity/identities.ts";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import { commitEvent, POST, recordEvents } from "../../src/atproto/replay/testing/sample-archive.ts";
import { SqliteState } from "../../src/atproto/state/sqlite-state.ts";
import { cursorNote } from "../../src/kernel/ledger.ts";
import { crawlAll, makeFolder, startNetwork } from "./crawling.ts";

const LIMITS = { targetBytes: 2 ** 31, now: () => Date.now(), onDamage: () => {} };

const filesOf = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());

const filesWith = (folder: string, did: string): string[] =>
  filesOf(folder).filter((path) => {
    const bytes = readFileSync(path);
    return bytes.includes(did) || bytes.includes(keyOf(did).subarray(1));
  });

/** As a killed crawl leaves a segment: no index, and a header that does not know of one. */
function unfinish(path: string): void {
  const bytes = readFileSync(path);
  const end = Number(bytes.readBigInt64LE(24));
  bytes.fill(0, 20, 32);
  writeFileSync(path, bytes.subarray(0, end));
  renameSync(path, `${path}.partial`);
}

test("an account is erased from unfinished segments, lone proofs, notes, details and a PLC export", async (t) => {
  const network = await startNetwork(t, { accounts: [4] });
  const folder = makeFolder(t);
  const rca = join(folder, "rca");
  await crawlAll(network, folder);
  const [erased, other] = network.good.map(({ did }) => did) as [string, string];
  const segment = (number: number, kind: string) => join(rca, `segment_000${number}.${kind}`);
  // A killed crawl leaves an unfinished segment, a killed compaction proofs without their segment, a repair the damaged file.
  for (const kind of ["rca", "rcx"]) {
    copyFileSync(segment(1, kind), segment(2, kind));
    unfinish(segment(2, kind));
  }
  copyFileSync(segment(1, "rcx"), segment(7, "rcx"));
  copyFileSync(segment(1, "rca"), `${segment(9, "rca")}.damaged`);
  const state = new SqliteState(join(rca, "state.db"));
  await state.take();
  const detail = `The commit is of "${erased}", not of ${other}.`;
  const failed = { did: other, failure: "parse_error", isFinal: true, detail, host: "https://a.example", retryAt: 0 };
  const notes = [cursorNote("clickhouse", erased), cursorNote("pds:https://b.example", `1700::${erased}`)];
  const settled = [{ ...failed, did: "did:plc:cccccccccccccccccccccccc" }];
  await state.commit({ settled, lanes: new Map(), notes: [...notes, cursorNote("dids:x", "7")] });
  await state.close();
  const identities = new Identities({ folder: join(rca, IDENTITY_FOLDER), maxAgeMs: 1, now: () => 0 });
  const line = { pds: "https://a.example", signingKey: null, seq: null, createdAt: null };
  await identities.table.import("plc:x", async function* () {
    yield { lines: [erased, other].map((did) => ({ ...line, did })), cursor: "1" };
  });
  identities.close();
  writeFileSync(join(rca, "plc.db"), erased);

  const config = parseAtprotoConfig({ source: ["dids:x"], outputDir: rca });
  const { kept } = await forgetAccount(config, erased, LIMITS);
  assert.deepEqual(filesWith(rca, erased), [`${segment(9, "rca")}.damaged`]);
  assert.deepEqual(kept, [`${segment(9, "rca")}.damaged`]);
  await using archive = await RepoArchive.open(rca, ({ reason }) => assert.fail(reason));
  assert.equal(await archive.find(erased), null);
  assert.equal((await archive.find(other))?.did, other);
  const after = new SqliteState(join(rca, "state.db"));
  assert.deepEqual((await after.summary()).cursors, { "dids:x": "7" });
  await after.close();
  const left = new Identities({ folder: join(rca, IDENTITY_FOLDER), maxAgeMs: Number.MAX_VALUE, now: () => 0 });
  assert.deepEqual([left.table.find(erased), left.table.find(other)?.pds], [null, "https://a.example"]);
  left.close();
});

test("an archive that has only recorded events forgets an account, too", async (t) => {
  const rca = makeFolder(t);
  const did = "did:plc:aaaaaaaaaaaaaaaaaaaaaaaa";
  await recordEvents(rca, [commitEvent(1, did, "3lc", 1_700_000_000_000_000n, { [`${POST}/a`]: { text: "secret" } })]);
  await forgetAccount(parseAtprotoConfig({ source: ["dids:x"], outputDir: rca }), did, LIMITS);
  assert.deepEqual(filesWith(rca, did), []);
});
