/**
 * Passes DIDs from a source to the kernel, with the hosts that have them. Entries that are not DIDs, have no public host,
 * are not wanted or are already stored are only counted.
 */
import type { Found } from "../kernel/task.ts";
import { compileFilter } from "../web/filter.ts";
import type { FeedPage } from "./backlog/did-backlog.ts";
import { type ErrorClass, isErrorClass } from "./error-classes.ts";
import { isDid, normaliseEndpoint } from "./identity/did.ts";
import type { DidEntry, DidPage, DidSource } from "./sources/did-page.ts";
import type { DidAtHost } from "./state/crawl-state.ts";

/**
 * Why a DID was not offered as its source gave it. `completed`: stored, or failed and not due for another attempt. `not_host`:
 * the source named a different host than the DID's document, and it was offered with the document's host.
 */
export const FEED_REASONS = [
  "bad_did",
  "bad_endpoint",
  "skip_pds",
  "other_process",
  "not_host",
  "unchanged",
  "no_signal",
  "completed",
] as const;
export type FeedReason = (typeof FEED_REASONS)[number];

export interface DidFeedOptions {
  allowPrivate: boolean;
  isSkipped: (origin: string) => boolean;
  /** Whether another process has this host. */
  isElsewhere: (origin: string) => boolean;
  /** It has not changed since the archive that `--since` names. */
  isUnchanged: (did: string, rev: string | null) => boolean;
  /** That archive has it. */
  isArchived: (did: string) => boolean;
  /** Only accounts with records in certain collections are fetched (`--signal-collection`). */
  seeksSignal: boolean;
  /** The crawl writes into that same archive: a repo it holds is fetched again when it has changed. */
  refetches: boolean;
  unsettled: (claims: readonly DidAtHost[]) => Promise<string[]>;
  /** The cursor of a source when the crawl began; null to read it from the beginning. */
  cursorOf: (source: string) => string | null;
  onPage: (page: DidPage, offered: number) => void;
  /** This host has that many more accounts than were known, whether or not they are fetched. */
  onAccounts: (origin: string, many: number) => void;
}

/** What a network crawl knows about a find. */
export interface DidMeta {
  /** The host that has the repo; null when it is not known. */
  readonly pds: string | null;
  /** Why there is nothing to fetch, as the host lists it; null when there may be something. */
  readonly refusal: ErrorClass | null;
  /** An earlier archive has the repo, and the source does not say whether it has changed: its host is asked. */
  readonly asksRev?: true;
  /** It is unknown whether it has records in a wanted collection, so its host is asked. */
  readonly asksSignal?: true;
}

export class DidFeed {
  readonly reasons = new Map<FeedReason, number>(FEED_REASONS.map((reason) => [reason, 0]));
  readonly #options: DidFeedOptions;
  /** One meta for all repos of a host with the same questions. */
  readonly #metas = new Map<string, DidMeta>();
  readonly #hosts = new Set<string>();
  /** Accounts of the page that is being read, by host. */
  readonly #accounts = new Map<string, number>();

  constructor(options: DidFeedOptions) {
    this.#options = options;
  }

  /** Hosts of the DIDs that were read so far. */
  get hostCount(): number {
    return this.#hosts.size;
  }

  async *read(source: DidSource): AsyncGenerator<FeedPage> {
    const { cursorOf, onPage, onAccounts } = this.#options;
    for await (const page of source.pages(cursorOf)) {
      const founds = await this.#foundsOf(page.entries);
      for (const [origin, many] of this.#accounts) onAccounts(origin, many);
      this.#accounts.clear();
      onPage(page, founds.length);
      yield { source: page.source, cursor: page.cursor, founds };
    }
  }

  async #foundsOf(entries: readonly DidEntry[]): Promise<Found<DidMeta>[]> {
    const founds = entries.map((entry) => this.#foundOf(entry)).filter((found) => found !== null);
    const changed = this.#options.refetches ? this.#changed(entries) : new Set<string>();
    const left = new Set(await this.#options.unsettled(founds.map(({ key, meta }) => ({ did: key, host: meta.pds }))));
    const offered = founds.filter(({ key }) => left.has(key) || changed.has(key));
    this.#count("completed", founds.length - offered.length);
    return offered;
  }

  #changed(entries: readonly DidEntry[]): Set<string> {
    const { isUnchanged, isArchived } = this.#options;
    const mayHaveChanged = ({ did, rev }: DidEntry) => (rev === null ? isArchived(did) : !isUnchanged(did, rev));
    return new Set(entries.filter(mayHaveChanged).map(({ did }) => did));
  }

  #foundOf({ did, pds, rev, status, notHost, hasSignal }: DidEntry): Found<DidMeta> | null {
    const { allowPrivate, isSkipped, isElsewhere, isUnchanged, isArchived, seeksSignal } = this.#options;
    if (!isDid(did)) return this.#refuse("bad_did");
    if (notHost) this.#count("not_host", 1);
    const refusal = status === null ? null : isErrorClass(status) ? status : "unknown";
    if (pds === null) return refusal === null ? this.#refuse("bad_endpoint") : aFind(did, { pds, refusal });
    const { origin } = normaliseEndpoint(pds, allowPrivate);
    if (origin === null) return this.#refuse("bad_endpoint");
    if (isSkipped(origin)) return this.#refuse("skip_pds");
    if (isElsewhere(origin)) return this.#refuse("other_process");
    this.#accounts.set(origin, (this.#accounts.get(origin) ?? 0) + 1);
    if (isUnchanged(did, rev)) return this.#refuse("unchanged");
    if (refusal !== null) return aFind(did, { pds: origin, refusal });
    return aFind(did, this.#metaOf(origin, rev === null && isArchived(did), seeksSignal && hasSignal !== true));
  }

  #metaOf(origin: string, asksRev: boolean, asksSignal: boolean): DidMeta {
    const key = `${asksRev} ${asksSignal} ${origin}`;
    let meta = this.#metas.get(key);
    if (meta === undefined) {
      meta = { pds: origin, refusal: null, ...(asksRev && { asksRev }), ...(asksSignal && { asksSignal }) };
      this.#metas.set(key, meta);
      this.#hosts.add(origin);
    }
    return meta;
  }

  /** Its host said so when it was asked. */
  passedOver(reason: "unchanged" | "no_signal"): void {
    this.#count(reason, 1);
  }

  #refuse(reason: FeedReason): null {
    this.#count(reason, 1);
    return null;
  }

  #count(reason: FeedReason, by: number): void {
    this.reasons.set(reason, this.reasons.get(reason)! + by);
  }
}

const aFind = (key: string, meta: DidMeta): Found<DidMeta> => ({ key, depth: 0, parent: 0, hops: 0, meta });

/** `--skip-pds`. Patterns without a scheme are matched against the host, `/regular expressions/` and others against the whole address. */
export function skipRule(patterns: readonly string[]): (origin: string) => boolean {
  const filters = patterns.map((written) => {
    const { matches } = compileFilter(written.toLowerCase());
    const isWhole = written.startsWith("/") || written.includes("://");
    return isWhole ? matches : (origin: string) => matches(hostOf(origin)) || matches(nameOf(origin));
  });
  return (origin) => filters.some((matches) => matches(origin));
}

const hostOf = (origin: string): string => origin.slice(origin.indexOf("://") + 3);
const nameOf = (origin: string): string => hostOf(origin).replace(/:\d+$/, "");
