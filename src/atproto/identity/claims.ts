/**
 * Checks what sources claim against what DIDs say about themselves. Any host can list any DID: where a repo is, and whether it is
 * active, only counts when it comes from the host that the DID's document names. Otherwise that host is asked.
 */
import type { DidEntry, DidPage } from "../sources/did-page.ts";
import { SourceError } from "../sources/source-client.ts";
import { isDid, normaliseEndpoint } from "./did.ts";
import type { Identities, Identity } from "./identities.ts";

export interface ClaimsOptions {
  identities: Identities;
  lookUp: (did: string) => Promise<Identity>;
  allowPrivate: boolean;
  /** Trust a source that names a host. */
  trusts: boolean;
  now: () => number;
  /** Called once, when many DIDs have been looked up one by one. */
  onManyLookups: () => void;
}

/** Documents requested in parallel; the lane of the directory sets the pace. */
const WIDTH = 32;
/** Entries passed on at once: the first must not wait for the document of the last. */
const CHUNK = 200;
/**
 * How many more of a host's claims may prove false than true before the table is believed without asking: an export
 * is some days old, and accounts move; but some hosts list millions of accounts that are not theirs.
 */
const MOST_FALSE = 100;
const MANY_LOOKUPS = 10_000;
/** A document that was looked up this recently is not looked up again just because a host claims something else. */
const RECENT_MS = 60 * 60_000;

export class Claims {
  readonly #options: ClaimsOptions;
  /** By host: claims that a document confirmed, minus those that it refuted. */
  readonly #credit = new Map<string, number>();
  #lookups = 0;

  constructor(options: ClaimsOptions) {
    this.#options = options;
  }

  /** The same DIDs with the hosts that their documents name. What needs no request comes first. */
  async *check(pages: AsyncIterable<DidPage>): AsyncGenerator<DidPage> {
    for await (const page of pages) {
      const known: DidEntry[] = [];
      const unknown: DidEntry[] = [];
      for (const entry of page.entries) {
        const decided = this.#decided(entry);
        if (decided === null) unknown.push(entry);
        else known.push(decided);
      }
      const { source, cursor } = page;
      // Its cursor may be saved when all of the page has been passed on.
      yield { source, entries: known, cursor: unknown.length === 0 ? cursor : null };
      for (let at = 0; at < unknown.length; at += CHUNK) {
        const entries = await this.#lookUpAll(unknown.slice(at, at + CHUNK));
        yield { source, entries, cursor: at + CHUNK >= unknown.length ? cursor : null };
      }
    }
  }

  /** Null when its document must be asked for. */
  #decided(entry: DidEntry): DidEntry | null {
    const { identities, trusts } = this.#options;
    if (!isDid(entry.did) || (trusts && entry.pds !== null)) return entry;
    const identity = identities.find(entry.did);
    const claimed = this.#originOf(entry.pds);
    const isCredible = claimed === null || (this.#credit.get(claimed) ?? 0) > -MOST_FALSE;
    if (identity !== null) {
      const isDoubtful = isCredible && claimed !== null && this.#originOf(identity.pds) !== claimed;
      return isDoubtful && !this.#isRecent(identity) ? null : this.#judge(entry, identity);
    }
    return isCredible || identities.table.count === 0 ? null : { ...entry, status: "unresolved" };
  }

  /** An account may have moved since its document was read. */
  #isRecent({ isLookup, since }: Identity): boolean {
    return isLookup && this.#options.now() - since < RECENT_MS;
  }

  async #lookUpAll(entries: DidEntry[]): Promise<DidEntry[]> {
    const checked = [...entries];
    const left = [...entries.keys()];
    const work = async (): Promise<void> => {
      for (let at = left.shift(); at !== undefined; at = left.shift()) checked[at] = await this.#lookUp(entries[at]!);
    };
    await Promise.all(Array.from({ length: WIDTH }, work));
    return checked;
  }

  async #lookUp(entry: DidEntry): Promise<DidEntry> {
    if (++this.#lookups === MANY_LOOKUPS) this.#options.onManyLookups();
    try {
      const identity = await this.#options.lookUp(entry.did);
      const claimed = this.#originOf(entry.pds);
      if (claimed !== null) {
        const isTrue = this.#originOf(identity.pds) === claimed;
        this.#credit.set(claimed, (this.#credit.get(claimed) ?? 0) + (isTrue ? 1 : -1));
      }
      return this.#judge(entry, identity);
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { ...entry, status: "unresolved" };
    }
  }

  #judge(entry: DidEntry, { pds }: Identity): DidEntry {
    if (pds === null) return { ...entry, pds: null, rev: null, status: "not_found" };
    const claimed = this.#originOf(entry.pds);
    if (claimed !== null && claimed === this.#originOf(pds)) return entry;
    // What another host says about the account is ignored, whether a revision or that the account is gone.
    return {
      did: entry.did,
      pds,
      rev: null,
      status: null,
      ...(entry.pds !== null && { notHost: true as const }),
      ...(entry.hasSignal && { hasSignal: true as const }),
    };
  }

  #originOf(written: string | null): string | null {
    return written === null ? null : normaliseEndpoint(written, this.#options.allowPrivate).origin;
  }
}
