/** Helpers for tests of crawls: the network, a crawl of it in this process with a fast clock, and its results. */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { parseAtprotoConfig } from "../../src/atproto/atproto-config.ts";
import { AtprotoCrawl, type AtprotoCrawlOptions } from "../../src/atproto/atproto-crawl.ts";
import type { AtprotoEnd, AtprotoProgress } from "../../src/atproto/crawl/crawl-tally.ts";
import { readableSegments } from "../../src/atproto/rca/format/segment-names.ts";
import { RepoArchive } from "../../src/atproto/rca/read/archive.ts";
import { verifySegment } from "../../src/atproto/rca/repair/verify-segments.ts";
import type { StateSummary } from "../../src/atproto/state/crawl-state.ts";
import { openState } from "../../src/atproto/state/crawl-state.ts";
import { QuickClock } from "../../src/atproto/testing/quick-clock.ts";
import type { Lookup } from "../../src/net/client.ts";
import { type Certificate, makeCertificate } from "../../src/net/testing/certificate.ts";
import { AT_NAMES, type AtNetwork, type AtNetworkOptions, atNetwork } from "../servers/at-network.ts";

type NetworkOptions = Omit<AtNetworkOptions, "certificate"> & { plain?: boolean; speed?: number };

let certificate: Promise<Certificate> | null = null;

/** With https and names; `plain` for http on loopback. Crawls of it run by its clock, which runs `speed` times as fast. */
export async function startNetwork(
  t: TestContext,
  { plain = false, speed = 50, ...options }: NetworkOptions = {},
): Promise<AtNetwork> {
  certificate ??= makeCertificate(...AT_NAMES);
  const network = await atNetwork({
    clock: new QuickClock(speed),
    ...options,
    certificate: plain ? null : await certificate,
  });
  t.after(() => network.close());
  return network;
}

export function makeFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-atproto-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A message takes fewer turns of the event loop from one side of a socket to the other, a TLS handshake included. */
const TRANSIT_TURNS = 25;

/** By the network's clock: how much later than it was sent a request may come, and an end be noticed. */
export const transitMs = ({ clock }: AtNetwork): number => TRANSIT_TURNS * (clock as QuickClock).turnMs;

/** Nothing outside loopback is contacted, not even a name server: names of the network come with their addresses. */
export const noSuchName: Lookup = (name) =>
  Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND" }));

/** For tests that are not about these limits: a child process has its own clock. */
export const PATIENT = { connectTimeout: 600, firstByteTimeout: 600, idleTimeout: 600, minRate: 0 };

/** Settings for reaching the network. */
export function reachSettings(network: AtNetwork, folder: string): Record<string, unknown> {
  const { connectTo, ca } = network.reach;
  if (ca === null) return { allowPrivate: true, plcUrl: network.plc.url };
  const file = join(folder, "ca.pem");
  // Another process may be reading it.
  if (!existsSync(file)) writeFileSync(file, ca);
  const rules = connectTo.map(({ host, port, address, toPort }) => `${host}:${port}:${address}:${toPort}`);
  return { connectTo: rules, ca: file, plcUrl: network.plc.url };
}

export interface Crawled {
  end: AtprotoEnd;
  progress: AtprotoProgress;
  notices: string[];
  /** The class of every DID that failed, with its detail. */
  failures: Map<string, { class: string; detail: string | null }>;
}

export interface CrawlRun {
  crawl: AtprotoCrawl;
  outcome: Promise<Crawled>;
}

/** Into `rca` of the folder. */
export async function startCrawl(
  network: AtNetwork,
  folder: string,
  settings: Record<string, unknown> = {},
  options: Partial<AtprotoCrawlOptions> = {},
): Promise<CrawlRun> {
  const notices: string[] = [];
  const failures: Crawled["failures"] = new Map();
  const config = parseAtprotoConfig({
    source: [`relay:${network.relay.url}`],
    outputDir: join(folder, "rca"),
    ...PATIENT,
    ...reachSettings(network, folder),
    ...settings,
  });
  const crawl = await AtprotoCrawl.start({
    config,
    threads: 1,
    clock: network.clock,
    lookup: noSuchName,
    ...options,
    events: {
      onNotice: (text) => notices.push(text),
      onRepo: ({ did, failure, detail }) => {
        if (failure !== null) failures.set(did, { class: failure, detail });
      },
      ...options.events,
    },
  });
  const outcome = crawl.ended.then((end) => ({ end, progress: crawl.progress(), notices, failures }));
  return { crawl, outcome };
}

/** Waits for something that happens while the crawl runs; fails when the crawl ends before. */
export async function whileRunning(run: CrawlRun, happened: Promise<unknown>): Promise<void> {
  const over = run.outcome.then(({ end }) => {
    throw end.error ?? new Error(`the crawl was over before, ${end.state}`);
  });
  await Promise.race([happened, over]);
  over.catch(() => {});
}

export async function crawlAll(...given: Parameters<typeof startCrawl>): Promise<Crawled> {
  const { outcome } = await startCrawl(...given);
  const crawled = await outcome;
  if (crawled.end.error !== null) throw crawled.end.error;
  assert.equal(crawled.end.state, "completed");
  return crawled;
}

/** DIDs of the archive in order, one entry per block. */
export async function storedDids(folder: string): Promise<string[]> {
  await using archive = await RepoArchive.open(join(folder, "rca"), ({ reason }) => assert.fail(reason));
  const dids: string[] = [];
  for await (const { did } of archive.repos()) dids.push(did);
  return dids.sort();
}

export const goodDids = (network: AtNetwork): string[] => network.good.map(({ did }) => did).sort();

export const summaryOf = (folder: string, redisAddress: string | null = null): Promise<StateSummary> =>
  openState({ outputDir: join(folder, "rca"), redisAddress }).summary();

/** Every good DID is in exactly one block, all segments are finished, and every byte of them is right. */
export async function assertWhole(network: AtNetwork, folder: string): Promise<void> {
  assert.deepEqual(await storedDids(folder), goodDids(network));
  for (const { path, state } of await readableSegments(join(folder, "rca"))) {
    assert.equal(state, "final", path);
    await verifySegment(path, { proofs: false, onDamage: ({ reason }) => assert.fail(`${path}: ${reason}`) });
  }
}
