/** Runs a group of cases as one site crawl in a child process, and says what was recorded for each. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { SiteOptions } from "../../src/site/site-config.ts";
import { SiteReader } from "../../src/site/store/reader.ts";
import type { Case, Facts } from "./case.ts";
import { DOMAIN, type HostileServer, hostileServer } from "./hostile-server.ts";
import { type ChildEnd, runChild } from "./run-child.ts";

/** The most memory that the process of a crawl may use. */
const MOST_MB = 400;

export interface GroupOptions {
  settings?: SiteOptions;
  /** What the machine must have, or why the tests are skipped. */
  needs?: { skip?: string };
}

interface Crawled extends ChildEnd {
  state: string;
  open: number;
  /** Facts by URL. */
  rows: Map<string, Record<string, string | number | boolean | null>>;
}

const SETTINGS: SiteOptions = {
  discovery: ["spider"],
  checkResources: false,
  parallelism: 16,
  retries: 0,
  maxBytes: 4_000_000,
  maxRedirects: 3,
  // Longer than any of these takes on a busy machine. What ends a case is the case itself, or another limit.
  timeout: 100,
};

/** A test for every case, and one for the crawl as a whole: it completes, and stays below its ceilings. */
export function siteGroup(title: string, cases: readonly Case[], options: GroupOptions = {}): void {
  describe(title, options.needs ?? {}, () => {
    let server: HostileServer;
    let crawled: Crawled;
    let folder: string;
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), "trawl-hostile-"));
      server = await hostileServer(cases);
      crawled = await crawlAll(server, folder, { ...SETTINGS, ...options.settings });
    });
    after(async () => {
      await server?.close();
      rmSync(folder, { recursive: true, force: true });
    });

    test(`the crawl completes below ${MOST_MB} MB, and leaves no socket open`, () => {
      assert.deepEqual([crawled.state, crawled.open, crawled.sockets], ["completed", 0, 0]);
      assert.ok(crawled.rssMb < MOST_MB, `${crawled.rssMb} MB`);
    });
    test("nothing outside the site is reached", () => {
      assert.equal(server.escaped(), 0);
      const outside = [...crawled.rows].filter(([url, { verdict }]) => verdict === "crawl" && !isOfSite(url));
      for (const [url, { error }] of outside) assert.ok(REFUSED.has(error), `${url}: ${error}`);
    });
    for (const one of cases) {
      test(`${one.threat}: ${one.name}`, () => {
        for (const [path, facts] of Object.entries(one.site ?? {})) {
          assertFacts(crawled.rows.get(server.urlOf(one.name, path)), facts, path);
        }
        const asked = server.asked(one.name);
        if (one.requests !== undefined) assert.ok(asked.length <= one.requests, `${asked.length} requests`);
        for (const path of one.never ?? []) assert.ok(!asked.includes(path), `${path} was asked for`);
      });
    }
  });
}

const isOfSite = (url: string): boolean => new URL(url).hostname.endsWith(DOMAIN);
/** Whether `localhost.` is a name depends on the machine. */
const REFUSED: ReadonlySet<unknown> = new Set(["private_address", "dns_not_found", "dns_failed"]);

/** Only the facts that the case names are compared. */
function assertFacts(
  row: Record<string, string | number | boolean | null> | undefined,
  facts: Facts,
  path: string,
): void {
  if (facts === undefined) {
    assert.equal(row, undefined, path);
    return;
  }
  assert.ok(row, `${path} was not found`);
  assert.deepEqual(Object.fromEntries(Object.keys(facts).map((name) => [name, row[name]])), facts, path);
}

async function crawlAll(server: HostileServer, folder: string, settings: SiteOptions): Promise<Crawled> {
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, server.ca);
  const connectTo = server.connectTo.map(({ host, port, address, toPort }) => `${host}:${port}:${address}:${toPort}`);
  const database = join(folder, "crawl.db");
  const input = { url: server.url, options: { ...settings, ca, connectTo, database } };
  const whenHung = (): string => {
    const open = [...readRows(database)].filter(([, row]) => row["state"] === "open");
    return `still open: ${open.map(([url]) => url).join(" ")}`;
  };
  const end = await runChild<Pick<Crawled, "state" | "open">>("crawl-site.ts", input, { folder, whenHung });
  return { ...end, rows: readRows(database) };
}

const FIELDS =
  "url status error errorDetail truncated verdict reason rule state title charset outlinks redirectTo size duplicate outcome".split(
    " ",
  );

function readRows(database: string): Crawled["rows"] {
  const reader = new SiteReader(database);
  try {
    const rows: Crawled["rows"] = new Map();
    for (const row of reader.each({ fields: FIELDS, filters: [], search: null }))
      rows.set(row["url"] as string, row as never);
    return rows;
  } finally {
    reader.close();
  }
}
