/** A crawl's database with given rows, for tests of readers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { TestContext } from "node:test";
import { LEDGER_MIGRATIONS, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { NO_PAGE, type PageRow } from "../facts/fact-rows.ts";
import { type Kind, kindNumber, type Via, viaNumber } from "../links/link-kinds.ts";
import type { SiteRecord } from "../site-record.ts";
import recordStore from "../store/record-store.ts";
import { SITE_INDEXES } from "../store/site-schema.ts";
import type { PackedTexts } from "../text-dictionary.ts";

export interface FakeUrl {
  url: string;
  verdict?: string;
  reason?: string | null;
  rule?: string | null;
  state?: string | null;
  depth?: number;
  parent?: number;
  via?: Via;
  kind?: Kind;
  /** Its record; undefined when it was not fetched. */
  page?: Partial<PageRow>;
  /** Packed, see LINK_STRIDE. */
  links?: number[];
  texts?: string[];
  firstText?: number;
  /** As `packHtml` gives it. */
  html?: Uint8Array;
}

/** Ids are 1, 2, 3, … in order. Returns the file's path. */
export function siteDatabase(t: Pick<TestContext, "after">, urls: FakeUrl[]): string {
  const folder = mkdtempSync(join(tmpdir(), "trawl-test-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "crawl.db");
  const db = new DatabaseSync(path);
  openForWriting(db);
  migrate(db, "ledger", LEDGER_MIGRATIONS);
  migrate(db, recordStore.part, recordStore.migrations);
  const writer = recordStore.open(db);
  const insert = db.prepare(
    `INSERT INTO urls (id, url, verdict, reason, rule, state, lane, place, depth, parent, via, kind, hops)
     VALUES (?, ?, ?, ?, ?, ?, 'lane', ?, ?, ?, ?, ?, 0)`,
  );
  db.exec("BEGIN");
  urls.forEach((each, index) => {
    const id = index + 1;
    const state = each.state !== undefined ? each.state : each.page === undefined ? null : "done";
    const values: SQLInputValue[] = [
      id,
      each.url,
      each.verdict ?? "crawl",
      each.reason ?? null,
      each.rule ?? null,
      state,
    ];
    values.push(
      id,
      each.depth ?? 0,
      each.parent ?? 0,
      viaNumber(each.via ?? "spider"),
      kindNumber(each.kind ?? "anchor"),
    );
    insert.run(...values);
    if (each.page !== undefined) writer.write(id, record(each));
  });
  db.exec("COMMIT");
  db.exec(SITE_INDEXES);
  db.close();
  return path;
}

function record({ page, links = [], texts = [], firstText = 1, html }: FakeUrl): SiteRecord {
  const row: PageRow = { ...NO_PAGE, indexable: "-", ...page };
  return {
    page: row,
    rendered: null,
    links: new Int32Array(links),
    texts: packTexts(firstText, texts),
    html: html ?? null,
  };
}

function packTexts(first: number, texts: string[]): PackedTexts {
  const encoded = texts.map((text) => Buffer.from(text));
  let end = 0;
  return { first, bytes: Buffer.concat(encoded), ends: Int32Array.from(encoded, ({ length }) => (end += length)) };
}
