import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { serveHttp } from "../../net/testing/servers.ts";
import { IdentityTable } from "../identity/identity-table.ts";
import { didOf } from "../testing/fake-pds.ts";
import { END } from "./did-page.ts";
import { plcSource } from "./plc-source.ts";
import { readAll, testSourceClient } from "./testing/source-client.ts";

interface Operation {
  did: string;
  pds: string | null;
  createdAt?: string;
  seq?: number;
}

const lineOf = ({ did, pds, createdAt = "2024-01-01T00:00:00.000Z", seq }: Operation): string =>
  JSON.stringify({
    did,
    operation:
      pds === null
        ? { type: "plc_tombstone" }
        : { type: "plc_operation", services: { atproto_pds: { endpoint: pds } } },
    createdAt,
    ...(seq === undefined ? {} : { seq, type: "sequenced_op" }),
  });

function folderOf(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-plc-"));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const HISTORY: Operation[] = [
  { did: didOf(2), pds: "https://a.example" },
  { did: didOf(1), pds: "https://a.example" },
  { did: didOf(3), pds: "https://a.example" },
  { did: didOf(1), pds: "https://b.example" },
  { did: didOf(3), pds: null },
];
const LAST = [
  { did: didOf(1), pds: "https://b.example" },
  { did: didOf(2), pds: "https://a.example" },
];

for (const [name, pack] of [
  ["plain.jsonl", Buffer.from],
  ["packed.gz", gzipSync],
  ["packed.zst", zstdCompressSync],
] as const) {
  test(`a file: the last operation of each DID counts, in the order of DIDs (${name})`, async (t) => {
    const folder = folderOf(t);
    const from = join(folder, name);
    writeFileSync(from, pack(Buffer.from(`${HISTORY.map(lineOf).join("\n")}\nno json\n`)));
    const { client } = testSourceClient(t);
    const source = plcSource({ from, table: new IdentityTable(join(folder, "identities")), client, pageSize: 1 });
    const pages = await readAll(source);
    const entries = pages.flatMap((page) => page.entries.map(({ did, pds }) => ({ did, pds })));
    assert.deepEqual(entries, LAST);
    assert.equal(pages[0]!.cursor, didOf(1));
    assert.equal(pages.at(-1)!.cursor, END);
    const rest = await readAll(source, () => didOf(1));
    assert.deepEqual(
      rest.flatMap((page) => page.entries.map(({ did }) => did)),
      [didOf(2)],
    );
    assert.deepEqual(await readAll(source, () => END), []);
  });
}

test("a file that is missing is reported by its name", async (t) => {
  const folder = folderOf(t);
  const source = plcSource({
    from: join(folder, "none"),
    table: new IdentityTable(join(folder, "identities")),
    client: testSourceClient(t).client,
    pageSize: 10,
  });
  await assert.rejects(readAll(source), { code: "FILE_NOT_READABLE" });
});

test("a packed file that is cut off fails, and is not taken for the whole", async (t) => {
  const folder = folderOf(t);
  const from = join(folder, "cut.gz");
  writeFileSync(from, gzipSync(HISTORY.map(lineOf).join("\n")).subarray(0, -12));
  const source = plcSource({
    from,
    table: new IdentityTable(join(folder, "identities")),
    client: testSourceClient(t).client,
    pageSize: 10,
  });
  await assert.rejects(readAll(source), { code: "SOURCE_FAILED" });
});

/** A directory that gives pages of a thousand, by number or by time. */
async function directory(t: TestContext, operations: Operation[], form: "seq" | "time") {
  const asked: (string | null)[] = [];
  const server = await serveHttp(t, (request, response) => {
    const url = new URL(request.url!, "http://plc");
    assert.equal(url.pathname, "/export");
    const after = url.searchParams.get("after");
    asked.push(after);
    const rest = operations.filter((operation) =>
      after === null ? true : form === "seq" ? operation.seq! > Number(after) : operation.createdAt! > after,
    );
    response.end(
      rest
        .slice(0, Number(url.searchParams.get("count")))
        .map(lineOf)
        .join("\n"),
    );
  });
  return { origin: server.origin, asked };
}

test("a directory is read by numbers, and read on from there the next time", async (t) => {
  const folder = folderOf(t);
  const operations = Array.from(
    { length: 2_500 },
    (_, index): Operation => ({
      did: didOf(index % 700),
      pds: `https://${index}.example`,
      seq: index + 1,
    }),
  );
  const { origin, asked } = await directory(t, operations, "seq");
  const { client } = testSourceClient(t);
  const source = plcSource({
    from: origin,
    table: new IdentityTable(join(folder, "identities")),
    client,
    pageSize: 500,
  });
  const entries = (await readAll(source)).flatMap((page) => page.entries);
  assert.equal(entries.length, 700);
  assert.equal(entries[0]!.pds, "https://2100.example");
  assert.deepEqual(asked, [null, "1000", "2000", "2500"]);
  operations.push({ did: didOf(0), pds: "https://new.example", seq: 2_501 });
  asked.length = 0;
  const again = (await readAll(source)).flatMap((page) => page.entries);
  assert.deepEqual(asked, ["2500", "2501"]);
  assert.equal(again[0]!.pds, "https://new.example");
});

test("a directory is read by time, and loses nothing that shares a millisecond with the end of a page", async (t) => {
  const folder = folderOf(t);
  const time = (index: number) => new Date(Date.UTC(2024, 0, 1) + Math.floor(index / 3)).toISOString();
  const operations = Array.from(
    { length: 1_600 },
    (_, index): Operation => ({
      did: didOf(index),
      pds: "https://a.example",
      createdAt: time(index),
    }),
  );
  const { origin } = await directory(t, operations, "time");
  const source = plcSource({
    from: origin,
    table: new IdentityTable(join(folder, "identities")),
    client: testSourceClient(t).client,
    pageSize: 5_000,
  });
  const entries = (await readAll(source)).flatMap((page) => page.entries);
  assert.equal(entries.length, 1_600);
});
