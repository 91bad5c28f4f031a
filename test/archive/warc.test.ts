/** WARC files next to the store: every answer as received, and a revisit where nothing changed. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { WARCParser } from "warcio";
import { checkDigests } from "../../src/archive/store/testing/readers.ts";
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
  const robots = "https://github.com/robots.txt";
  assert.deepEqual(responses.map(({ url }) => url).sort(), [robots, ...urls].sort());
  assert.match(responses.find(({ url }) => url === robots)!.body, /^User-agent:/im);
  assert.match(responses.find(({ url }) => url.endsWith("/trending"))!.body, /<title>\/trending<\/title>/);
  assert.equal(responses.find(({ url }) => url.endsWith("/old/name"))!.status, "301");
  assert.equal(first.filter(({ type }) => type === "request").length, urls.length + 1);
  await archiveAll(workspace, host, { refresh: true });
  const revisits = (await recordsOf(workspace)).filter(({ type }) => type === "revisit");
  assert.equal(revisits.filter(({ status }) => status === "304").length, urls.length - 1);
});

test("an independent reader finds every digest right, in first records and in revisits", async (t) => {
  const host = await startHost(t, { repos: 1, faults: true });
  const workspace = await makeWorkspace(t, { storage: { warc: true } });
  await archiveAll(workspace, host);
  await archiveAll(workspace, host, { refresh: true });
  const files = readdirSync(workspace.paths.warc).filter((file) => file.endsWith(".warc.gz"));
  assert.equal(files.length, 2);
  const checked = files.map((file) => checkDigests(join(workspace.paths.warc, file)));
  for (const { right } of checked) assert.ok(right > 10, `${right} digests`);
  assert.ok(
    checked.some(({ elsewhere }) => elsewhere > 0),
    "there are revisits",
  );
});
