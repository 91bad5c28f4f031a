/** What a site crawl writes to. */

import type { Ledger } from "../../kernel/ledger.ts";
import { SqliteLedger } from "../../kernel/sqlite/ledger.ts";
import { openPrivateDatabase } from "../../kernel/sqlite/private-files.ts";
import { LEDGER_MIGRATIONS, migrate, openForWriting } from "../../kernel/sqlite/schema.ts";
import { SITE_META, type SiteMeta } from "../links/link-kinds.ts";
import { TextDictionary } from "../text-dictionary.ts";
import type { StoredPages } from "../traps/trap-watch.ts";
import { addFactColumns, SITE_MIGRATIONS, SITE_PART } from "./site-schema.ts";
import { storedPages } from "./stored-pages.ts";

export interface SiteStore {
  /** Stores the records of pages together with the end of their tasks. */
  readonly ledger: Ledger<unknown, SiteMeta>;
  /** The ids of link texts; continues after the stored ones. */
  readonly texts: TextDictionary;
  /** The pages of the crawl that is resumed. Read it before the ledger is opened. */
  readonly stored: StoredPages;
}

/** Creates the file if it is missing; otherwise the crawl in it is resumed. */
export function sqliteSiteStore(database: string): SiteStore {
  const texts = new TextDictionary(nextTextId(database));
  return { ledger: new SqliteLedger(database, recordModule(), SITE_META), texts, stored: storedPages(database) };
}

/** The module that writes our records; .ts in a checkout, .js in a published package. */
const recordModule = (): string => new URL(`./record-store${import.meta.url.slice(-3)}`, import.meta.url).href;

/** Creates missing tables before the ledger's thread would do the same at the same time. */
function nextTextId(database: string): number {
  const db = openPrivateDatabase(database);
  try {
    openForWriting(db);
    migrate(db, "ledger", LEDGER_MIGRATIONS);
    migrate(db, SITE_PART, SITE_MIGRATIONS);
    addFactColumns(db);
    return Number(db.prepare("SELECT max(id) AS id FROM texts").get()?.["id"] ?? 0) + 1;
  } finally {
    db.close();
  }
}
