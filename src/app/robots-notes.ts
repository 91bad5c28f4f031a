/** What a crawl's database remembers of a host's robots.txt. */
import type { Note } from "../kernel/ledger.ts";
import { NOTE_PREFIX } from "../site/robots-keeper.ts";
import type { SiteReader } from "../site/store/reader.ts";

export const robotsNotes = (reader: SiteReader, origin: string): Note[] =>
  reader.db.prepare("SELECT key, value FROM notes WHERE key = ?").all(NOTE_PREFIX + origin) as unknown as Note[];
