/** An earlier crawl of the same site: what servers sent for each URL, so that they can answer "not modified". */
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { PageRow } from "../facts/fact-rows.ts";
import { kindOf } from "../links/link-kinds.ts";
import type { LinkObject } from "../links/site-links.ts";
import { LINK_INTERNAL } from "../page/link-types.ts";
import { LINK_POSITIONS } from "../page/page-content.ts";
import type { Validators } from "../visit/site-visit.ts";
import { hasBodies } from "./bodies.ts";
import { showFactColumns } from "./site-schema.ts";

/** The content of an unmodified page. */
export interface EarlierPage {
  row: PageRow;
  canonical: string | null;
  links: EarlierLink[];
}

export interface EarlierLink extends Omit<LinkObject, "target"> {
  url: string;
}

/** A page that ran in a browser has facts that the document alone would not have. */
const RAW = "NOT EXISTS (SELECT 1 FROM rendered WHERE rendered.id = pages.id)";

/** Rendered pages are always fetched, because what their scripts load may change while the document does not. */
export class Baseline {
  readonly #db: DatabaseSync;
  readonly #validators: StatementSync;
  readonly #page: StatementSync;
  readonly #links: StatementSync;
  /** Null in a crawl from before HTML could be stored. */
  readonly #body: StatementSync | null;

  /** `rendering`: whether the new crawl runs pages in a browser. */
  constructor(path: string, rendering = false) {
    this.#db = new DatabaseSync(path, { readOnly: true });
    showFactColumns(this.#db);
    this.#validators = this.#db.prepare(
      `SELECT etag, last_modified AS lastModified FROM urls JOIN pages USING (id)
       WHERE url = ? AND status IN (200, 304) AND truncated IS NULL AND ${rendering ? "title_count IS NULL" : RAW}`,
    );
    this.#page = this.#db.prepare(
      `SELECT pages.*, other.url AS canonical_url FROM urls JOIN pages USING (id)
       LEFT JOIN urls other ON other.id = pages.canonical WHERE urls.url = ?`,
    );
    this.#links = this.#db.prepare(
      `SELECT target.url AS url, type, position, flags, t.value AS text, c.value AS context, p.value AS path
       FROM links JOIN urls target ON target.id = links.target
       LEFT JOIN texts t ON t.id = links.text LEFT JOIN texts c ON c.id = links.context
       LEFT JOIN texts p ON p.id = links.path
       WHERE links.id >= ? AND links.id < ? ORDER BY links.id`,
    );
    this.#body = hasBodies(this.#db)
      ? this.#db.prepare("SELECT html FROM urls JOIN bodies USING (id) WHERE url = ?")
      : null;
  }

  validators(url: string): Validators | null {
    const row = this.#validators.get(url) as { etag: string | null; lastModified: string | null } | undefined;
    return row === undefined || (row.etag === null && row.lastModified === null) ? null : row;
  }

  page(url: string): EarlierPage | null {
    const found = this.#page.get(url) as
      | (PageRow & { canonical_url: string | null; first_link: number | null })
      | undefined;
    if (found === undefined) return null;
    const first = found.first_link ?? 0;
    const links = this.#links.all(first, first + (found.link_count ?? 0)) as unknown as StoredLink[];
    return { row: found, canonical: found.canonical_url, links: links.map(earlierLink) };
  }

  /** The HTML of a page, as it was stored. */
  html(url: string): Uint8Array | null {
    return (this.#body?.get(url)?.["html"] as Uint8Array | undefined) ?? null;
  }

  close(): void {
    this.#db.close();
  }
}

interface StoredLink {
  url: string;
  type: number;
  position: number;
  flags: number;
  text: string | null;
  context: string | null;
  path: string | null;
}

function earlierLink(stored: StoredLink): EarlierLink {
  return {
    url: stored.url,
    kind: kindOf(stored.type),
    position: LINK_POSITIONS[stored.position]!,
    // With other settings, different hosts may belong to the site now.
    flags: stored.flags & ~LINK_INTERNAL,
    text: stored.text ?? "",
    context: stored.context ?? "",
    path: stored.path ?? "",
  };
}
