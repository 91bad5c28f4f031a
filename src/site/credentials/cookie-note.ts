/**
 * The crawl's cookies, stored as notes in its ledger, so that a resumed crawl looks like the same visitor to the site.
 * Each domain has its own note, so that a page rewrites only the cookies it has set.
 */
import type { Note } from "../../kernel/ledger.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { CookieJar, StoredCookie } from "../../net/cookie-jar.ts";

/** Crawls of version 0.1 have all of them in one note of this name. */
const KEY = "cookies";

export class CookieNote {
  readonly #jar: CookieJar;

  constructor(jar: CookieJar) {
    this.#jar = jar;
  }

  /** Writes what has changed since the last call. */
  write(context: Pick<CrawlContext, "note">): void {
    for (const [domain, cookies] of this.#jar.takeChanged()) {
      context.note({ key: `${KEY}:${domain}`, value: JSON.stringify(cookies) });
    }
  }

  recover({ key, value }: Note): void {
    if (key === KEY || key.startsWith(`${KEY}:`)) this.#jar.restore(JSON.parse(value) as StoredCookie[]);
  }
}
