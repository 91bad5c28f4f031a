/** What an earlier archive has, by its catalogue: what did not change is not fetched. */

import { join, resolve } from "node:path";
import type { AtprotoConfig } from "./atproto-config.ts";
import { Catalogue, catalogueFolder } from "./catalogue/catalogue.ts";
import type { CatalogueEntry } from "./catalogue/catalogue-record.ts";
import { indexSegments, openWholeCatalogue } from "./catalogue/index-segments.ts";
import { SINCE_FOLDER } from "./folder-files.ts";
import type { Damage } from "./rca/format/bytes.ts";
import { tidTime } from "./repo/tid.ts";

/** Whether a crawl writes into the archive that it continues. */
export const continuesItself = ({ since, outputDir }: Pick<AtprotoConfig, "since" | "outputDir">): boolean =>
  since !== null && resolve(since) === resolve(outputDir);

/** How far the clock of a host may be ahead of ours. */
const MOST_AHEAD_MS = 60 * 60_000;

/**
 * Whether the stored repo has what this revision has. Revisions are times written so that they sort, so a later one does; unless it is of the
 * future as seen from its crawl: whoever had the host or the key for a moment must not keep all later ones out of the archive.
 */
export function includesRev({ rev: archived, at }: Pick<CatalogueEntry, "rev" | "at">, rev: string): boolean {
  if (archived === null || archived <= rev) return archived === rev;
  const written = tidTime(archived);
  return written !== null && written <= Number(at) / 1000 + MOST_AHEAD_MS;
}

export class ArchivedRevs {
  readonly #catalogue: Catalogue;

  private constructor(catalogue: Catalogue) {
    this.#catalogue = catalogue;
  }

  /**
   * An archive whose catalogue is not up to date may be someone else's, so nothing is written there: its catalogue is made next to the
   * new segments. That of the crawl's own archive has been brought up to date.
   */
  static async open(
    config: Pick<AtprotoConfig, "since" | "outputDir">,
    onDamage: (damage: Damage) => void,
    signal: AbortSignal,
  ): Promise<ArchivedRevs | null> {
    const { since: folder, outputDir } = config;
    if (folder === null) return null;
    if (continuesItself(config)) return new ArchivedRevs(new Catalogue(catalogueFolder(outputDir)));
    const whole = await openWholeCatalogue(folder, catalogueFolder(folder));
    if (whole !== null) return new ArchivedRevs(whole);
    const catalogue = join(outputDir, SINCE_FOLDER);
    try {
      await indexSegments({ folder, catalogue, onDamage, signal });
    } catch (error) {
      // The crawl is being stopped, and fetches nothing.
      if (!signal.aborted) throw error;
    }
    return new ArchivedRevs(new Catalogue(catalogue));
  }

  /** What the archive has of a DID; null for nothing. */
  find(did: string): CatalogueEntry | null {
    const entry = this.#catalogue.get(did);
    return entry?.place == null ? null : entry;
  }

  isUnchanged(did: string, rev: string | null): boolean {
    const archived = rev === null ? null : this.find(did);
    return archived !== null && includesRev(archived, rev!);
  }

  close(): void {
    this.#catalogue.close();
  }
}
