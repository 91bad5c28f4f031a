/** What a second and a third crawl say about the findings of those before; what is accepted; and the score. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { parseConfig } from "../site-config.ts";
import { SiteCrawl } from "../site-crawl.ts";
import { seedSources } from "../site-seeds.ts";
import { SiteReader } from "../store/reader.ts";
import { sqliteSiteStore } from "../store/site-store.ts";
import { type Acceptance, isActive } from "./acceptances.ts";
import { DEFAULT_AUDIT } from "./audit-settings.ts";
import { type FindingState, readFindings } from "./findings.ts";
import { readIssues } from "./issues.ts";
import { RULES } from "./rule-table.ts";
import { runAudit } from "./run-audit.ts";
import type { PreviousCrawl } from "./since-last.ts";

type Site = Record<string, string>;

const page = (title: string, links: string[] = []): string =>
  `<!doctype html><html lang="en"><head>${title === "" ? "" : `<title>${title}</title>`}</head><body><h1>Page</h1>${links
    .map((href) => `<a href="${href}">${href}</a>`)
    .join(" ")}</body></html>`;

async function server(t: TestContext): Promise<{ origin: string; site: Site }> {
  const site: Site = {};
  const http = createServer((request, response) => {
    const body = site[request.url!];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "text/html" }).end(body ?? "gone");
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  t.after(() => new Promise((resolve) => http.close(resolve)));
  return { origin: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, site };
}

async function crawl(database: string, start: string, previous: PreviousCrawl | null, settings = {}): Promise<void> {
  const config = parseConfig({ allowPrivate: true, audit: false, detectSoft404: false, ...settings });
  async function* batches() {
    yield [start];
  }
  const sources = seedSources({ via: "initial", batches: batches() });
  const run = await SiteCrawl.start({ store: () => sqliteSiteStore(database), config, startUrls: [start], sources });
  await run.ended;
  // Bare pages without TLS break so many other rules that each loses all its points.
  const ignoredRules = RULES.flatMap(({ id }) => (id.startsWith("title.") ? [] : [id]));
  runAudit(database, { settings: { ...DEFAULT_AUDIT, ignoredRules }, now: 0, previous });
}

function reading<T>(path: string, use: (reader: SiteReader) => T): T {
  const reader = new SiteReader(path);
  try {
    return use(reader);
  } finally {
    reader.close();
  }
}

const found = (path: string, state: FindingState, acceptances: Acceptance[] = []) =>
  reading(path, (reader) =>
    readFindings(reader, { rule: "title.missing", state, limit: 100, after: 0, acceptances }).rows.map(
      ({ url, change }) => `${new URL(url).pathname} ${change}`,
    ),
  );

const acceptance = (fields: Partial<Acceptance>): Acceptance => ({
  ...{ action: "accept", rule: "title.missing", url: null, evidence: null, pattern: null },
  ...{ reason: "known", until: null, since: null },
  ...fields,
});

describe("findings since the last crawl", () => {
  it("are new, still there, fixed and back again", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "trawl-since-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { origin, site } = await server(t);
    const at = (number: number) => join(folder, `${number}.db`);
    const start = `${origin}/`;
    site["/"] = page("Start", ["/a", "/b"]);
    site["/a"] = page("");
    site["/b"] = page("");
    await crawl(at(1), start, null);
    assert.deepEqual(found(at(1), "all"), ["/a null", "/b null"]);

    site["/a"] = page("A");
    site["/c"] = page("");
    site["/"] = page("Start", ["/a", "/b", "/c"]);
    await crawl(at(2), start, { id: 1, path: at(1) });
    assert.deepEqual(found(at(2), "all"), ["/b still", "/c new"]);
    assert.deepEqual(found(at(2), "fixed"), ["/a fixed"]);
    assert.deepEqual(found(at(2), "new"), ["/c new"]);

    site["/a"] = page("");
    await crawl(at(3), start, { id: 2, path: at(2) });
    assert.deepEqual(found(at(3), "all"), ["/a back", "/b still", "/c still"]);
    assert.deepEqual(found(at(3), "back"), ["/a back"]);
    const { issues, previousId } = reading(at(3), (reader) => readIssues(reader));
    const titles = issues.find(({ rule }) => rule === "title.missing")!;
    assert.deepEqual([previousId, titles.new, titles.back, titles.fixed], [2, 0, 1, 0]);

    // A crawl that stops at its limit did not look at the other pages: nothing of theirs is fixed, nor new afterwards.
    await crawl(at(4), start, { id: 3, path: at(3) }, { maxUrls: 2, checkResources: false });
    assert.deepEqual(found(at(4), "fixed"), []);
    await crawl(at(5), start, { id: 4, path: at(4) });
    assert.deepEqual(found(at(5), "new"), []);

    // A page that the whole site no longer has is fixed.
    site["/"] = page("Start", ["/a", "/b"]);
    delete site["/c"];
    await crawl(at(6), start, { id: 5, path: at(5) });
    assert.deepEqual(found(at(6), "fixed"), ["/c fixed"]);
  });

  it("that were accepted or ignored do not count, and only ignored ones cost nothing", async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "trawl-accepted-"));
    t.after(() => rmSync(folder, { recursive: true, force: true }));
    const { origin, site } = await server(t);
    site["/"] = page("Start", ["/blog/a", "/blog/b", "/c"]);
    for (const path of ["/blog/a", "/blog/b", "/c"]) site[path] = page("");
    const path = join(folder, "crawl.db");
    await crawl(path, `${origin}/`, null);
    const counts = (acceptances: Acceptance[]) =>
      reading(path, (reader) => {
        const { issues, score } = readIssues(reader, acceptances);
        const { open, accepted, ignored } = issues.find(({ rule }) => rule === "title.missing")!;
        return { open, accepted, ignored, score: score! };
      });
    const { score, ...none } = counts([]);
    assert.deepEqual(none, { open: 3, accepted: 0, ignored: 0 });
    assert.deepEqual(counts([acceptance({ pattern: "/blog/*" })]), { open: 1, accepted: 2, ignored: 0, score });
    const one = acceptance({ url: `${origin}/c`, action: "ignore" });
    const ignored = counts([acceptance({}), one]);
    assert.deepEqual({ ...ignored, score: 0 }, { open: 0, accepted: 2, ignored: 1, score: 0 });
    // One of four pages gets back the 20 points of an error.
    assert.ok(Math.abs(ignored.score - score - 20 / 4) < 0.11, `${score} → ${ignored.score}`);
    assert.deepEqual(found(path, "open", [one]), ["/blog/a null", "/blog/b null"]);
    assert.deepEqual(found(path, "ignored", [one]), ["/c null"]);
  });

  it("an acceptance ends after its last day", () => {
    const until = acceptance({ until: "2027-01-31" });
    assert.equal(isActive(until, Date.parse("2027-01-31T23:59:00Z")), true);
    assert.equal(isActive(until, Date.parse("2027-02-02T00:00:00Z")), false);
    assert.equal(isActive(acceptance({}), Date.parse("2999-01-01")), true);
  });
});
