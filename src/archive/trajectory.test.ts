import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import type { Note } from "../kernel/ledger.ts";
import { anAdmitted } from "../kernel/testing/samples.ts";
import { encodeCommit, encodeSettled } from "./ledger/commit-line.ts";
import { encodeRow } from "./ledger/frontier-line.ts";
import { ledgerPaths } from "./ledger/ledger-files.ts";
import { Trajectory } from "./trajectory.ts";

const HEADER = "src,dst,depth\n";

function setUp(t: TestContext, settledElsewhere: string[] = []) {
  const folder = mkdtempSync(join(tmpdir(), "trawl-edges-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const paths = ledgerPaths(join(folder, "other"));
  mkdirSync(join(folder, "other"));
  const tasks = settledElsewhere.map((key, at) => {
    const row = { id: at + 1, place: at + 1, lane: "a", key, verdict: { action: "crawl", reason: null, rule: null } };
    return { row, state: "done" } as const;
  });
  const { fetched, ...commit } = encodeSettled(tasks as Parameters<typeof encodeSettled>[0]);
  writeFileSync(paths.fetched, fetched.join(""));
  writeFileSync(paths.commits, encodeCommit({ commit: 0, ...commit }));
  const path = join(folder, "edges.csv");
  const notes: Note[] = [];
  return {
    path,
    paths,
    context: { note: (note: Note) => void notes.push(note) },
    noted: () => Number(notes.at(-1)?.value),
    open: () => Trajectory.open({ path, ledgers: [paths], onError: (error) => assert.fail(error) }),
    text: () => readFileSync(path, "utf8"),
  };
}

test("rows of pages that were not settled are dropped, and written once when the pages are fetched again", async (t) => {
  const { open, context, noted, text } = setUp(t);
  const first = await open();
  first.add("https://a/é", "https://a/1", 1);
  first.settled(context);
  const settled = noted();
  first.add("https://a/2", "https://a/3", 2);
  await first.close();
  const whole = text();
  const second = await open();
  second.recover(settled);
  await second.ready;
  second.add("https://a/2", "https://a/3", 2);
  second.settled(context);
  await second.close();
  assert.equal(text(), whole);
  assert.equal(noted(), Buffer.byteLength(whole));
});

test("rows of pages that another ledger has settled stay, whatever is around them", async (t) => {
  const { open, path, text } = setUp(t, ["https://a/other", 'https://a/"x",y']);
  const rows = [
    "https://a/crashed,1,1\n",
    "https://a/other,2,1\n",
    '"https://a/""x"",y",3,1\n',
    "https://a/crashed,4,1\n",
  ];
  writeFileSync(path, HEADER + rows.join(""));
  const trajectory = await open();
  trajectory.recover(HEADER.length);
  await trajectory.ready;
  trajectory.add("https://a/new", "5", 1);
  await trajectory.close();
  assert.equal(text(), `${HEADER}${rows[1]}${rows[2]}https://a/new,5,1\n`);
});

test("a file that was removed or shortened by hand is begun again, but not in silence", async (t) => {
  const { open, path, paths, text } = setUp(t);
  const errors: string[] = [];
  const onError = ({ message }: Error): void => void errors.push(message);
  const trajectory = await Trajectory.open({ path, ledgers: [paths], onError });
  trajectory.recover(5_000);
  await trajectory.ready;
  assert.deepEqual(errors, [`${path} lacks rows: it was 5000 bytes long.`]);
  trajectory.add("https://a/1", "https://a/2", 1);
  await trajectory.close();
  appendFileSync(path, "torn");
  await (await open()).close();
  assert.equal(text(), `${HEADER}https://a/1,https://a/2,1\n`);
});

test("a crash before any page was settled leaves no row", async (t) => {
  const { open, path, text } = setUp(t);
  writeFileSync(path, `${HEADER}https://a/1,https://a/2,1\n`);
  const trajectory = await open();
  await trajectory.ready;
  trajectory.add("https://a/1", "https://a/2", 1);
  await trajectory.close();
  assert.equal(text(), `${HEADER}https://a/1,https://a/2,1\n`);
});

test("a page that is fetched again, and was not settled again, gets its new rows once", async (t) => {
  const { open, path, text, paths } = setUp(t, ["https://a/1"]);
  const settled = `${HEADER}https://a/1,https://a/2,1\n`;
  writeFileSync(path, `${settled}https://a/1,https://a/3,1\n`);
  const { meta: _, ...admitted } = anAdmitted(1, { key: "https://a/1", refetch: true });
  const queued = { ...admitted, via: 0, kind: 0, pageType: "", referrer: null, discoveredAt: 0, commit: 0 };
  writeFileSync(paths.frontier, `${encodeRow(queued)}\n`);
  const trajectory = await open();
  trajectory.recover(settled.length);
  await trajectory.ready;
  await trajectory.close();
  assert.equal(text(), settled);
});
