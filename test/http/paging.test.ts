/** A crawl of 100,000 URLs: the last page is as little work as the first. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { serveBigCrawl } from "./big-crawl.ts";

const URLS = 100_000;
const LIMIT = 100;

const world = serveBigCrawl(URLS);

interface Page {
  total: number;
  rows: { url: string }[];
  next: string | null;
}

/** What a request made the database do: the statements on URLs, as written. */
async function asking(query: Record<string, string | number>): Promise<{ page: Page; statements: string[] }> {
  const statements: string[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
    if (/\burls u\b/.test(given[0])) statements.push(given[0]);
    return prepare.apply(this, given);
  };
  try {
    const search = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const { status, body } = await world.serving.ask<Page>("GET", `/crawls/${world.id}/urls?${search}`);
    assert.equal(status, 200, JSON.stringify(body));
    return { page: body, statements };
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
}

function plan(statement: string): string {
  const db = new DatabaseSync(world.serving.app.home.crawlDatabase(world.id), { readOnly: true });
  const lines = db.prepare(`EXPLAIN QUERY PLAN ${statement}`).all() as { detail: string }[];
  db.close();
  return lines.map(({ detail }) => detail).join("\n");
}

const VIEWS: Record<string, Record<string, string>> = {
  "in the order of discovery": {},
  sorted: { sort: "-title" },
  "filtered and searched": { filter: "status>=200", search: "page" },
};

for (const [name, view] of Object.entries(VIEWS)) {
  test(`${name}: any page looks up only its own rows`, async () => {
    const asked = { ...view, limit: LIMIT, fields: "url,status,title" };
    const { page: first } = await asking({ ...asked, offset: 0 });
    assert.equal(first.total, URLS);
    const depths = [0, LIMIT, URLS / 2, URLS - LIMIT];
    const work: string[][] = [];
    const seen = new Set<string>();
    for (const offset of depths) {
      const { page, statements } = await asking({ ...asked, offset });
      assert.equal(page.rows.length, LIMIT);
      for (const { url } of page.rows) seen.add(url);
      work.push(statements);
    }
    assert.equal(seen.size, depths.length * LIMIT);
    for (const statements of work) assert.deepEqual(statements, work[0]);
    assert.ok(work[0]!.length > 0);
    for (const statement of work[0]!) {
      assert.match(plan(statement), /SEARCH u USING INTEGER PRIMARY KEY/);
      assert.doesNotMatch(plan(statement), /SCAN (u|p|urls|pages)\b/);
    }
    const { page: behind, statements } = await asking({ ...asked, cursor: first.next! });
    assert.deepEqual(behind.rows, (await asking({ ...asked, offset: LIMIT })).page.rows);
    assert.ok(!statements.some((statement) => /SCAN (u|p|urls|pages)\b/.test(plan(statement))));
  });
}

test("the last page has no next, and nothing follows it", async () => {
  const last = await asking({ limit: LIMIT, offset: URLS - 1 });
  assert.deepEqual([last.page.rows.length, last.page.next], [1, null]);
  assert.deepEqual((await asking({ limit: LIMIT, offset: URLS })).page.rows, []);
});
