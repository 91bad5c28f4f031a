/** The revs that crawls stored, from the catalogue, while a crawl may be adding to it. */
import type { Clock } from "../../kernel/clock.ts";
import { Catalogue, catalogueFolder } from "../catalogue/catalogue.ts";

/** Looking for what is new takes a few system calls. */
const REFRESH_MS = 1_000;

export class StoredRevs {
  readonly #catalogue: Catalogue;
  readonly #clock: Clock;
  #refreshedAt: number;

  /** `archive`: the folder of the segments. */
  constructor(archive: string, clock: Clock) {
    this.#catalogue = new Catalogue(catalogueFolder(archive));
    this.#clock = clock;
    this.#refreshedAt = clock.now();
  }

  of(did: string): string | null {
    const now = this.#clock.now();
    if (now - this.#refreshedAt >= REFRESH_MS) {
      this.#catalogue.refresh();
      this.#refreshedAt = now;
    }
    return this.#catalogue.get(did)?.rev ?? null;
  }

  close(): void {
    this.#catalogue.close();
  }
}
