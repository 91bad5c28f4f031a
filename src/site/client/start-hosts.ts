/**
 * Where the hosts of the start URLs are: on the internet or on a private network. This is looked up when the crawl
 * begins and stored as notes in its ledger, so that a resumed or repeated crawl does not take it from a name whose
 * address has changed since.
 */
import { existsSync } from "node:fs";
import type { Note } from "../../kernel/ledger.ts";
import type { CrawlContext, Source } from "../../kernel/product.ts";
import { TrustedHosts } from "../../net/connection/address-guard.ts";
import type { AddressClass } from "../../net/connection/egress.ts";
import { hostAndPort } from "../../net/origin.ts";
import type { SiteMeta } from "../links/link-kinds.ts";
import { SiteReader } from "../store/reader.ts";

const PREFIX = "address:";

/** In SQL, the notes that say where a crawl's start hosts are. */
export const HOST_NOTES = `key GLOB '${PREFIX}*'`;

/** What a crawl knows about a start host that must be on the internet. */
export const publicHostNote = (hostPort: string): Note => ({
  key: PREFIX + hostPort,
  value: JSON.stringify(["public"] satisfies AddressClass[]),
});

export class StartHosts {
  readonly trusted: TrustedHosts;
  readonly #unwritten = new Map<string, readonly AddressClass[]>();
  #context: Pick<CrawlContext, "note"> | null = null;

  /** `notes`: those of the crawl that this one repeats. */
  constructor(startUrls: readonly string[], notes: readonly Note[] = []) {
    this.trusted = new TrustedHosts(startUrls.map(hostAndPort), new Map(), (host, classes) => {
      this.#unwritten.set(host, classes);
      this.#write();
    });
    for (const note of notes) {
      const host = this.recover(note);
      if (host !== null) this.#unwritten.set(host, JSON.parse(note.value) as AddressClass[]);
    }
  }

  /** The host that the note is about; null for any other note. */
  recover({ key, value }: Note): string | null {
    if (!key.startsWith(PREFIX)) return null;
    const host = key.slice(PREFIX.length);
    this.trusted.recall(host, JSON.parse(value) as AddressClass[]);
    return host;
  }

  /**
   * Read before every other source: it finds no URLs, but nothing is requested before the hosts' addresses are known.
   */
  source(learn: () => Promise<void>): Source<SiteMeta> {
    const write = (context: CrawlContext) => {
      this.#context = context;
      this.#write();
    };
    return async function* (context) {
      write(context);
      await learn();
      yield [];
    };
  }

  #write(): void {
    if (this.#context === null) return;
    for (const [host, classes] of this.#unwritten) {
      this.#context.note({ key: PREFIX + host, value: JSON.stringify(classes) });
    }
    this.#unwritten.clear();
  }
}

/** What a crawl's database says about its start hosts; empty if it was never written. */
export function readHostNotes(database: string): Note[] {
  if (!existsSync(database)) return [];
  const reader = new SiteReader(database);
  try {
    if (reader.isEmpty) return [];
    return reader.db.prepare(`SELECT key, value FROM notes WHERE ${HOST_NOTES}`).all() as unknown as Note[];
  } finally {
    reader.close();
  }
}
