import assert from "node:assert/strict";
import { test } from "node:test";
import { serveHttp } from "../../net/testing/servers.ts";
import { parseSource } from "../crawl/crawl-sources.ts";
import { didOf } from "../testing/fake-pds.ts";
import { clickHouseSource, pageQuery } from "./clickhouse-source.ts";
import { END } from "./did-page.ts";
import { readAll } from "./testing/source-client.ts";

test("the page query, and nothing but a DID in it", () => {
  assert.equal(
    pageQuery(didOf(3), 50_000),
    `SELECT did, pds FROM plc_did_state FINAL WHERE pds != '' AND did > '${didOf(3)}' ORDER BY did LIMIT 50000`,
  );
  assert.match(pageQuery("", 5), /did > '' ORDER/);
  for (const hostile of ["' OR 1=1 --", "did:plc:a'b", "did:web:x\\"]) {
    assert.throws(() => pageQuery(hostile, 5), { code: "SOURCE_FAILED" });
  }
});

test("pages by DID; an invalid DID does not stop it", async (t) => {
  const rows = [
    ...Array.from({ length: 5 }, (_, number) => [didOf(number), "https://a.example"]),
    ["did:zzz:'", "https://b.example"],
  ];
  const queries: string[] = [];
  const server = await serveHttp(t, (request, response) => {
    let query = "";
    request.on("data", (piece) => {
      query += piece;
    });
    request.on("end", () => {
      queries.push(query);
      const after = /did > '([^']*)'/.exec(query)![1]!;
      const rest = rows.filter(([did]) => did! > after).slice(0, 2);
      response.writeHead(200, { "content-type": "application/x-ndjson" });
      response.end(rest.map(([did, pds]) => `${JSON.stringify({ did, pds })}\n`).join(""));
    });
  });
  const connection = { url: server.origin, database: "default", username: "default", password: "" };
  const pages = await readAll(clickHouseSource(connection, 2));
  assert.deepEqual(
    pages.flatMap(({ entries }) => entries.map(({ did }) => did)).filter((did) => did.startsWith("did:plc")),
    [0, 1, 2, 3, 4].map(didOf),
  );
  assert.equal(pages.at(-1)!.cursor, END);
  assert.equal(pages[0]!.cursor, didOf(1));
  const resumed = await readAll(clickHouseSource(connection, 2), () => didOf(2));
  assert.equal(resumed[0]!.entries[0]!.did, didOf(3));
});

test("a server that answers with an error is reported, without a stack", async (t) => {
  const server = await serveHttp(
    t,
    (_, response) => void response.writeHead(404).end("Code: 60. Table plc_did_state doesn't exist"),
  );
  const source = clickHouseSource({ url: server.origin, database: "d", username: "u", password: "p" }, 2);
  await assert.rejects(readAll(source), { code: "SOURCE_FAILED" });
});

test("what --source may say", () => {
  assert.deepEqual(parseSource("clickhouse", false), { kind: "clickhouse" });
  assert.deepEqual(parseSource("relay:https://Relay.example/", false), {
    kind: "relay",
    origin: "https://relay.example",
  });
  assert.deepEqual(parseSource("pds:http://127.0.0.1:1", true), { kind: "pds", origin: "http://127.0.0.1:1" });
  assert.deepEqual(parseSource("plc:/data/export.jsonl.gz", false), { kind: "plc", from: "/data/export.jsonl.gz" });
  assert.deepEqual(parseSource("plc:https://plc.directory", false), { kind: "plc", from: "https://plc.directory" });
  assert.deepEqual(parseSource("dids:list.txt", false), { kind: "dids", from: "list.txt" });
  for (const written of [
    "",
    "relay:",
    "relay:http://a.example",
    "pds:https://10.0.0.1",
    "plc:http://plc.directory",
    "other:x",
    "dids:",
  ]) {
    assert.throws(() => parseSource(written, false), { code: "BAD_USAGE" }, written);
  }
});
