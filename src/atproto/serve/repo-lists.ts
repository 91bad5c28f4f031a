/** Pages of all accounts in the catalogue. A list that is being paged through stays open, so that its next page does not begin at the first account. */
import { setImmediate as turn } from "node:timers/promises";
import { Catalogue, catalogueFolder } from "../catalogue/catalogue.ts";
import type { CatalogueEntry } from "../catalogue/catalogue-record.ts";

export interface OpenList {
  /** Its own: one that is refreshed closes the files that a list reads. */
  catalogue: Catalogue;
  steps: Iterator<CatalogueEntry | null>;
}

/** Lists that are kept open between two pages. */
const MOST_OPEN = 32;

export class RepoLists implements Disposable {
  readonly #folder: string;
  /** By the last account of the page before. */
  readonly #open = new Map<string, OpenList>();

  constructor(folder: string) {
    this.#folder = catalogueFolder(folder);
  }

  /** The list after an account; from the beginning when it is null. Null when the catalogue does not have that account. */
  async after(did: string | null): Promise<OpenList | null> {
    const known = did === null ? undefined : this.#open.get(did);
    if (known !== undefined) {
      this.#open.delete(did!);
      return known;
    }
    const catalogue = new Catalogue(this.#folder);
    const list = { catalogue, steps: catalogue.steps() };
    if (did === null) return list;
    for (let entry = await nextEntry(list); entry !== null; entry = await nextEntry(list)) {
      if (entry.did === did) return list;
    }
    catalogue.close();
    return null;
  }

  /** Keeps a list for the next page, in the place of the one that has waited longest. */
  keep(did: string, list: OpenList): void {
    this.#open.get(did)?.catalogue.close();
    this.#open.delete(did);
    this.#open.set(did, list);
    if (this.#open.size <= MOST_OPEN) return;
    const [oldest, { catalogue }] = this.#open.entries().next().value!;
    catalogue.close();
    this.#open.delete(oldest);
  }

  [Symbol.dispose](): void {
    for (const { catalogue } of this.#open.values()) catalogue.close();
    this.#open.clear();
  }
}

/** Null at the end. Other requests have their turn now and then. */
export async function nextEntry({ steps }: OpenList): Promise<CatalogueEntry | null> {
  for (let next = steps.next(); !next.done; next = steps.next()) {
    if (next.value !== null) return next.value;
    await turn();
  }
  return null;
}
