/** Everything that a crawl knows about one URL. */

import { RESPONSE_FIELD_NAMES } from "../facts/fact-fields.ts";
import type { RenderedRow } from "../facts/fact-rows.ts";
import { hasBodies } from "./bodies.ts";
import { countLinksIn, findUrl } from "./link-queries.ts";
import type { Row, SiteReader } from "./reader.ts";
import { factsOf } from "./view.ts";

export interface RedirectStep {
  url: string;
  /** Null when it was not fetched or did not answer. */
  status: number | null;
  error: string | null;
  verdict: string;
}

export interface UrlDetail {
  id: number;
  url: string;
  /** Every field of the fact table except those of `rendered`. */
  fields: Row;
  /** Response headers as received; empty when there was no answer, or they were not stored. */
  headers: [name: string, value: string][];
  /** The page after its scripts ran. */
  rendered: (Omit<RenderedRow, "console_errors"> & { console_errors: string[] }) | null;
  /** Where its redirect leads, step by step; empty when it does not redirect. */
  redirects: RedirectStep[];
  /** Null while the crawl runs and has too many links to count. */
  linksIn: number | null;
  linksOut: number;
  /** Its HTML was stored. */
  hasHtml: boolean;
}

/** Browsers give up after this many redirects. */
const MAX_REDIRECTS = 20;

export function urlDetail(reader: SiteReader, url: string): UrlDetail {
  const { id } = findUrl(reader, url);
  const fields = factsOf(reader, id, RESPONSE_FIELD_NAMES);
  const stored = reader.db.prepare("SELECT headers, redirect_to FROM pages WHERE id = ?").get(id);
  const rendered = reader.db.prepare("SELECT * FROM rendered WHERE id = ?").get(id);
  return {
    id,
    url,
    fields,
    headers: JSON.parse((stored?.["headers"] as string | null) ?? "[]"),
    rendered: rendered === undefined ? null : renderedFacts(rendered as Row),
    redirects: redirectsFrom(reader, Number(stored?.["redirect_to"] ?? 0), id),
    linksIn: countLinksIn(reader, id),
    linksOut: Number(fields["outlinks"] ?? 0),
    hasHtml: hasBodies(reader.db) && reader.db.prepare("SELECT 1 FROM bodies WHERE id = ?").get(id) !== undefined,
  };
}

function renderedFacts({ id: _, console_errors, ...facts }: Row): UrlDetail["rendered"] {
  return { ...facts, console_errors: JSON.parse(String(console_errors)) } as unknown as UrlDetail["rendered"];
}

/** A loop ends where it began, so that step is listed again. */
function redirectsFrom(reader: SiteReader, first: number, start: number): RedirectStep[] {
  const step = reader.db.prepare(
    `SELECT url, verdict, status, error, redirect_to FROM urls LEFT JOIN pages USING (id) WHERE urls.id = ?`,
  );
  const steps: RedirectStep[] = [];
  const seen = new Set([start]);
  for (let id = first; id !== 0 && steps.length < MAX_REDIRECTS; ) {
    const row = step.get(id) as unknown as (RedirectStep & { redirect_to: number | null }) | undefined;
    if (row === undefined) break;
    const { url, status, error, verdict } = row;
    steps.push({ url, status, error, verdict });
    if (seen.has(id)) break;
    seen.add(id);
    id = row.redirect_to ?? 0;
  }
  return steps;
}
