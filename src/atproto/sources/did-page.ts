/** Pages of DIDs, each with the cursor from which its source can be continued; and reading many sources in parallel. */

export interface DidEntry {
  did: string;
  /** Where its repo is, as written; null when not known. */
  pds: string | null;
  /** The revision of its repo, if the source knows it. */
  rev: string | null;
  /** Why there is nothing to fetch, as an error class; null when there may be. */
  status: string | null;
  /** A source named another host, and its word does not count. */
  notHost?: true;
  /** It has records in a collection that the crawl looks for (`--signal-collection`), as the source says. */
  hasSignal?: true;
}

export interface DidPage {
  /** The source that the cursor belongs to: a source may consist of many. */
  source: string;
  entries: DidEntry[];
  /** Where to continue when everything up to here is completely settled; null when more of the same page follows. */
  cursor: string | null;
}

export interface DidSource {
  /** As it is written on the command line. */
  readonly name: string;
  /** `from` gives the cursor that was saved for a part of this source; null if there isn't one. */
  pages(from: (source: string) => string | null): AsyncIterable<DidPage>;
}

/** The cursor of a source that was read to its end. */
export const END = "*";

export const pageOf = (source: string, entries: DidEntry[], cursor: string | null): DidPage => ({
  source,
  entries,
  cursor,
});

export const plainEntry = (did: string, pds: string | null): DidEntry => ({ did, pds, rev: null, status: null });

/** Whether more should be read of one of several sources. */
export interface Demand<Key = string> {
  isWanted: (key: Key) => boolean;
  /** Resolves when another answer may be given. */
  changed: () => Promise<void>;
}

/** Everything is wanted at once. */
export const ALWAYS: Demand<unknown> = { isWanted: () => true, changed: () => new Promise(() => {}) };

export interface MergeOptions<Key> {
  keys: Iterable<Key>;
  open: (key: Key) => AsyncIterable<DidPage>;
  /** Read at once. */
  width: number;
  /** Of which more is to be read after their first page; all of them unless given. */
  demand?: Demand<Key>;
  /** This one ends here; the others continue. */
  onFailure: (key: Key, error: unknown) => void;
}

interface Reading<Key> {
  key: Key;
  iterator: AsyncIterator<DidPage>;
}

type Read<Key> = { reading: Reading<Key> } & ({ page: DidPage | null } | { error: unknown });

/** Reads many sources in parallel: each delivers a page in turn, and a slow one does not hold up the others. */
export async function* mergePages<Key>(options: MergeOptions<Key>): AsyncGenerator<DidPage> {
  const { keys, open, width, demand = ALWAYS, onFailure } = options;
  const fresh = keys[Symbol.iterator]();
  /** Those that delivered a page and have more: they come after those that have not delivered one yet. */
  const waiting: Reading<Key>[] = [];
  const reading = new Set<Reading<Key>>();
  const arrived: Read<Key>[] = [];
  let arrival = Promise.withResolvers<void>();
  const next = (): Reading<Key> | undefined => {
    const { done, value } = fresh.next();
    if (done !== true) return { key: value, iterator: open(value)[Symbol.asyncIterator]() };
    const at = waiting.findIndex(({ key }) => demand.isWanted(key));
    return at < 0 ? undefined : waiting.splice(at, 1)[0];
  };
  const begin = (): void => {
    for (let one = reading.size < width ? next() : undefined; one !== undefined; ) {
      reading.add(one);
      readFrom(one).then((read) => {
        arrived.push(read);
        arrival.resolve();
      });
      one = reading.size < width ? next() : undefined;
    }
  };
  try {
    for (;;) {
      const changed = demand.changed();
      begin();
      const read = arrived.shift();
      if (read === undefined) {
        if (reading.size + waiting.length === 0) return;
        await Promise.race([arrival.promise, changed]);
        arrival = Promise.withResolvers<void>();
        continue;
      }
      reading.delete(read.reading);
      if ("error" in read) onFailure(read.reading.key, read.error);
      else if (read.page !== null) {
        waiting.push(read.reading);
        yield read.page;
      }
    }
  } finally {
    for (const one of [...reading, ...waiting]) Promise.resolve(one.iterator.return?.()).catch(() => {});
  }
}

async function readFrom<Key>(reading: Reading<Key>): Promise<Read<Key>> {
  try {
    const { done, value } = await reading.iterator.next();
    return { reading, page: done === true ? null : value };
  } catch (error) {
    return { reading, error };
  }
}
