/**
 * Offers refused URLs to the gate again when the rules (settings or a robots.txt) have changed. The ledger remembers
 * which rules the refusals were last compared with, so nothing is read while the rules stay the same.
 */
import { createHash } from "node:crypto";
import type { CrawlContext } from "../kernel/product.ts";
import type { Found } from "../kernel/task.ts";
import { hostOf } from "../web/url.ts";
import type { ArchiveProduct } from "./archive-product.ts";
import type { ArchiveSettings } from "./config/parse-archive-config.ts";
import type { Row } from "./ledger/frontier-line.ts";
import { hostMatcher } from "./policy/hosts.ts";
import type { ArchiveMeta } from "./policy/policy.ts";

/** The note that holds the rules. */
export const RULES_NOTE = "rules";

export interface ReconsiderOptions {
  product: ArchiveProduct;
  settings: () => ArchiveSettings;
  /** The refused URLs as they were found. */
  rows: () => AsyncIterable<Row>;
  /** How many URLs were refused for each reason. */
  reasons: () => ReadonlyMap<string, number>;
  /** Whether requests to the host have to wait. */
  isResting: (host: string) => boolean;
  onReopened: (count: number) => void;
}

const BATCH = 500;

export async function* reconsider(
  options: ReconsiderOptions,
  context: CrawlContext,
): AsyncGenerator<Found<ArchiveMeta>[]> {
  const { product, reasons, rows, onReopened } = options;
  const { types } = product.policy;
  await loadRobots(options, context);
  const rules = rulesOf(options);
  if (rules === product.rules) return;
  const before = product.reopened;
  if ([...reasons().values()].some((count) => count > 0)) {
    let batch: Found<ArchiveMeta>[] = [];
    for await (const { key, depth, parent, hops, referrer, verdict } of rows()) {
      const meta = { ...types.metaOf(key), ...(referrer !== null && { referrer }) };
      batch.push({ key, depth, parent, hops, meta, again: verdict });
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    yield batch;
  }
  // The URLs offered have been admitted by now, so this comes in the same commit or a later one. A URL that is now
  // refused for another reason may have brought in a robots.txt.
  product.rules = rulesOf(options);
  context.note({ key: RULES_NOTE, value: product.rules });
  if (product.reopened > before) onReopened(product.reopened - before);
}

export const reopenedText = (count: number): string =>
  count === 1
    ? "1 URL that was refused before is queued now, because the rules have changed."
    : `${count} URLs that were refused before are queued now, because the rules have changed.`;

/** When robots.txt is what refuses URLs, it is read again once it has expired. */
async function loadRobots(options: ReconsiderOptions, context: CrawlContext) {
  for (const origin of robotsOrigins(options)) {
    if (!options.isResting(hostOf(`${origin}/`))) await options.product.robots.load(`${origin}/`, false, context);
  }
}

/** The origins of the archive's hosts whose robots.txt may have refused something. */
function robotsOrigins({ product, settings, reasons }: ReconsiderOptions): string[] {
  if (!reasons().get("robots_disallow")) return [];
  const isAllowed = hostMatcher(settings().hosts);
  return product.robots.origins.filter((origin) => isAllowed(hostOf(`${origin}/`))).sort();
}

/** Everything that decides whether a URL is refused. */
function rulesOf(options: ReconsiderOptions): string {
  const { product, settings } = options;
  const { hosts, deniedSubdomains, allow, deny, caps, robotsAgent, profile } = settings();
  const robots = robotsOrigins(options).map((origin) => product.robots.print(`${origin}/`));
  const { page_types, repo_segments, max_repeats } = profile;
  const all = [hosts, deniedSubdomains, allow, deny, caps, robotsAgent, page_types, repo_segments, max_repeats, robots];
  return createHash("sha256").update(JSON.stringify(all)).digest("hex").slice(0, 16);
}
