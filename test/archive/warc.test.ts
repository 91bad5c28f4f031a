/** WARC files beside the store: every answer as it came, and a revisit where nothing changed. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WARCParser } from "warcio";
import type { Workspace } from "../../src/archive/workspace.ts";
import { archiveAll, makeWorkspace, metadataOf, startHost } from "./archiving.ts";

interface Read {
  type: string;
  url: string;
  status: string;
  body: string;
}

async function recordsOf({ paths }: Workspace): Promise<Read[]> {
  const records: Read[] = [];
  for (const name of readdirSync(paths.warc).filter((file) => file.endsWith(".warc.gz"))) {
    const bytes = readFileSync(join(paths.warc, name));
    for await (const record of new WARCParser(new Blob([bytes]).stream() as never)) {
      const body = (await record.contentText()) ?? "";
      const status = String(record.httpHeaders?.statusCode ?? "");
      records.push({ type: record.warcType ?? "", url: record.warcTargetURI ?? "", status, body });
    }
  }
  return records;
}

test("every answer is in the WARC with its request; a refresh adds revisits", async (t) => {
  const host = await startHost(t, { repos: 1 });
  const workspace = await makeWorkspace(t, { storage: { warc: true } });
  await archiveAll(workspace, host);
  const first = await recordsOf(workspace);
  const urls = metadataOf(workspace).map((record) => record.url);
  const responses = first.filter(({ type }) => type === "response");
  assert.deepEqual(responses.map(({ url }) => url).sort(), [...urls].sort());
  assert.match(responses.find(({ url }) => url.endsWith("/trending"))!.body, /<title>\/trending<\/title>/);
  assert.equal(responses.find(({ url }) => url.endsWith("/old/name"))!.status, "301");
  assert.equal(first.filter(({ type }) => type === "request").length, urls.length);
  await archiveAll(workspace, host, { refresh: true });
  const revisits = (await recordsOf(workspace)).filter(({ type }) => type === "revisit");
  assert.equal(revisits.filter(({ status }) => status === "304").length, urls.length - 1);
});

/** Where it is not the system's Python that has warcio: `WARCIO_PYTHON=/tmp/venv/bin/python`. */
const PYTHON = process.env["WARCIO_PYTHON"] ?? "python3";
const python = (...typed: string[]) => spawnSync(PYTHON, typed, { encoding: "utf8" });

test("`warcio check` of Python finds every digest right, in first records and in revisits", async (t) => {
  if (python("-c", "import warcio").status !== 0) return t.skip("Python's warcio is not installed");
  const host = await startHost(t, { repos: 1, faults: true });
  const workspace = await makeWorkspace(t, { storage: { warc: true } });
  await archiveAll(workspace, host);
  await archiveAll(workspace, host, { refresh: true });
  const files = readdirSync(workspace.paths.warc).filter((file) => file.endsWith(".warc.gz"));
  assert.equal(files.length, 2);
  for (const file of files) {
    const { status, stdout } = python("-m", "warcio.cli", "check", "-v", join(workspace.paths.warc, file));
    assert.equal(status, 0, stdout);
    assert.match(stdout, /digest pass/);
    assert.doesNotMatch(stdout, /digest failed/);
  }
});
