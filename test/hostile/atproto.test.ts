/** The same misbehaviour, by AT Protocol hosts that are asked for a repo: each has its class, and nothing is stored. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { PATIENT, storedDids } from "../atproto/crawling.ts";
import type { Case } from "./case.ts";
import { BODIES } from "./cases/bodies.ts";
import { BROKEN_HTTP, FLOODS } from "./cases/http1.ts";
import { REDIRECTS } from "./cases/redirects.ts";
import { TLS } from "./cases/tls.ts";
import { DOMAIN, type HostileServer, hostileServer } from "./hostile-server.ts";
import { type ChildEnd, runChild } from "./run-child.ts";

const CASES: readonly Case[] = [...BROKEN_HTTP, ...FLOODS, ...BODIES, ...REDIRECTS, ...TLS]
  .filter(({ atproto }) => atproto !== undefined)
  // PDS servers are always asked over TLS.
  .map((one) => ({ ...one, over: one.over ?? "https" }));

/** Each case has its own DID: a number to base 7, in letters. */
const didOf = (index: number): string =>
  `did:plc:${(index + 1)
    .toString(7)
    .padStart(24, "0")
    .replace(/\d/g, (digit) => "abcdefg"[Number(digit)]!)}`;

describe("atproto", () => {
  let folder: string;
  let server: HostileServer;
  let end: ChildEnd & { state: string; failures: Record<string, string> };
  const dids = new Map(CASES.map(({ name }, index) => [name, didOf(index)]));

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "trawl-hostile-"));
    server = await hostileServer(CASES);
    const [list, ca] = [join(folder, "dids.txt"), join(folder, "ca.pem")];
    writeFileSync(list, [...dids].map(([name, did]) => `${did}\thttps://${name}.${DOMAIN}`).join("\n"));
    writeFileSync(ca, server.ca);
    const connectTo = server.connectTo.map(({ host, port, address, toPort }) => `${host}:${port}:${address}:${toPort}`);
    const settings = {
      source: [`dids:${list}`],
      // Its DIDs are in no directory.
      trustSources: true,
      verify: "blocks",
      outputDir: join(folder, "rca"),
      ...PATIENT,
      maxRepoSize: "16MB",
      connectTo,
      ca,
    };
    const whenHung = () => `asked: ${CASES.map(({ name }) => `${name} ${server.asked(name).length}`).join(", ")}`;
    end = await runChild("crawl-atproto.ts", settings, { folder, whenHung });
  });
  after(async () => {
    await server?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test("the crawl completes below 400 MB, leaves no socket open, and has stored nothing", async () => {
    assert.deepEqual([end.state, end.sockets], ["completed", 0]);
    assert.ok(end.rssMb < 400, `${end.rssMb} MB`);
    assert.deepEqual(await storedDids(folder), []);
  });
  for (const { threat, name, atproto } of CASES) {
    test(`${threat}: ${name}`, () => assert.equal(end.failures[dids.get(name)!], atproto));
  }
});
