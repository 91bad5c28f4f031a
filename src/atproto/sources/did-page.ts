/** What sources of DIDs give: pages, each with the place from which the source can be read on. */

export interface DidEntry {
  did: string;
  /** Where its repo is, as written; null when that is not known. */
  pds: string | null;
  /** The revision of its repo, where the source knows it. */
  rev: string | null;
  /** Why there is nothing to fetch, as an error class; null when there may be. */
  status: string | null;
}

export interface DidPage {
  /** Whose cursor it is: a source may be made of many. */
  source: string;
  entries: DidEntry[];
  /** Where to read on when all of this page is settled. */
  cursor: string;
}

export interface DidSource {
  /** As it is written on the command line. */
  readonly name: string;
  /** `from` tells the cursor that was saved for a part of this source; null when there is none. */
  pages(from: (source: string) => string | null): AsyncIterable<DidPage>;
}

/** The cursor of a source that was read to its end. */
export const END = "*";

export const pageOf = (source: string, entries: DidEntry[], cursor: string): DidPage => ({ source, entries, cursor });

export const plainEntry = (did: string, pds: string | null): DidEntry => ({ did, pds, rev: null, status: null });
