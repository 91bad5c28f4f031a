/** Questions about the links of a whole crawl, and about its folders. */
import type { Crawls } from "../crawls/crawls.ts";
import type {
  BrokenAnswer,
  BrokenQuestion,
  LinkSearchQuestion,
  LinksOfCrawlAnswer,
  Structure,
  StructureQuestion,
} from "../operations/links.ts";
import type { Reading } from "../reading/reading.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { Readers } from "./readers.ts";

export interface LinkSearchParts {
  crawls: Crawls;
  readers: Readers;
  reading: Reading;
}

/** `yes` and `no` of a question; null means both. */
const yes = (text: "yes" | "no" | null): boolean | null => (text === null ? null : text === "yes");

export class LinkSearch {
  readonly #parts: LinkSearchParts;

  constructor(parts: LinkSearchParts) {
    this.#parts = parts;
  }

  async search(
    { id, cursor, internal, nofollow, ...query }: LinkSearchQuestion,
    signal?: AbortSignal,
  ): Promise<LinksOfCrawlAnswer> {
    const { limit, ...filters } = query;
    const list = ["all-links", id, filters, internal, nofollow];
    const asked = { ...query, internal: yes(internal), nofollow: yes(nofollow), after: placeIn(list, cursor) };
    const { next, ...page } = await this.#parts.reading.read("searchLinks", this.#database(id), asked, signal);
    return { ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  async broken({ id, cursor, internal, ...query }: BrokenQuestion, signal?: AbortSignal): Promise<BrokenAnswer> {
    const list = ["broken-links", id, internal, query.unverified];
    const asked = {
      ...query,
      internal: yes(internal),
      unverified: query.unverified === "yes",
      after: placeIn(list, cursor),
    };
    const { next, ...page } = await this.#parts.reading.read("brokenLinks", this.#database(id), asked, signal);
    return { ...page, next: next === null ? null : writeCursor(list, [next]) };
  }

  structure({ id, ...asked }: StructureQuestion, signal?: AbortSignal): Promise<Structure> {
    return this.#parts.reading.read("structure", this.#database(id), asked, signal);
  }

  #database(id: number) {
    const { crawls, readers } = this.#parts;
    crawls.get(id);
    return { path: crawls.home.crawlDatabase(id), open: () => readers.get(id) };
  }
}

const placeIn = (list: readonly unknown[], cursor: string | null): number =>
  cursor === null ? 0 : (readCursor(list, cursor)[0] as number);
