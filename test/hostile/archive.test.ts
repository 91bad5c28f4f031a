/** The same misbehaviour, by a code host: an archive records each, stores none of it, and names no file after it. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { MetadataRecord } from "../../src/archive/store/metadata-record.ts";
import { configureWorkspace, openWorkspace } from "../../src/archive/workspace.ts";
import { AGENT, linesOf, writeConfig } from "../archive/archiving.ts";
import { type Case, page } from "./case.ts";
import { BODIES } from "./cases/bodies.ts";
import { BROKEN_HTTP, FLOODS } from "./cases/http1.ts";
import { REDIRECTS } from "./cases/redirects.ts";
import { CODE_HOST, type HostileServer, hostileServer } from "./hostile-server.ts";
import { type ChildEnd, runChild } from "./run-child.ts";

const CASES: readonly Case[] = [...BROKEN_HTTP, ...FLOODS, ...BODIES, ...REDIRECTS].filter(
  ({ archive }) => archive !== undefined,
);
const urlOf = (name: string): string => `https://${CODE_HOST}/owner/repo/blob/main/${name}`;

describe("archive", () => {
  let folder: string;
  let server: HostileServer;
  let end: ChildEnd & { open: number };
  const lines = new Map<string, MetadataRecord>();

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "trawl-hostile-"));
    const workspace = join(folder, "workspace");
    // A good page after each bad one: this host misbehaves, but it has not stopped answering.
    const good = CASES.map(
      ({ name }): Case => ({ threat: 0, name: `after-${name}`, serve: page("<title>good</title>") }),
    );
    server = await hostileServer([...CASES, ...good]);
    await configureWorkspace(workspace, { profile: "github", userAgent: AGENT });
    const patient = { connect_timeout_ms: 100_000, read_timeout_ms: 100_000, total_timeout_ms: 100_000 };
    const limits = { global_concurrency: 1, per_host_concurrency: 1, max_retries: 0, http2: false, ...patient };
    writeConfig(workspace, { limits, storage: { min_free_mb: 0, warc: true } });
    const seeds = CASES.flatMap(({ name }) => [urlOf(name), urlOf(`after-${name}`)]);
    const reach = { connectTo: server.connectTo, ca: server.ca };
    end = await runChild(
      "crawl-archive.ts",
      { folder: workspace, seeds, reach },
      {
        folder,
        whenHung: () =>
          `${linesOf(openWorkspace(workspace, Date.now()).paths.metadata).length} of ${seeds.length} lines`,
      },
    );
    for (const line of linesOf(openWorkspace(workspace, Date.now()).paths.metadata)) {
      const record = JSON.parse(line) as MetadataRecord;
      lines.set(record.url, record);
    }
  });
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the archive completes below 500 MB, and leaves no socket open", () => {
    assert.deepEqual([end.open, end.sockets], [0, 0]);
    assert.ok(end.rssMb < 500, `${end.rssMb} MB`);
  });
  for (const { threat, name, archive } of CASES) {
    test(`${threat}: ${name}`, () => {
      const { http_status, metadata, content_sha256 } = lines.get(urlOf(name))!;
      assert.deepEqual([http_status, metadata?.["error"] ?? metadata?.["skipped"] ?? null], archive);
      assert.equal(content_sha256 !== "", archive![0] === 200 && archive![1] === null, "only whole pages are stored");
      assert.equal(lines.get(urlOf(`after-${name}`))?.http_status, 200);
    });
  }
  test("16: files are named by hashes and by us, never by a URL", () => {
    const names = readdirSync(join(folder, "workspace"), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
    assert.deepEqual(
      names.filter((name) => CASES.some((one) => name.includes(one.name))),
      [],
    );
  });
});
