/** The crawl's cookies, stored as a note in its ledger, so that a resumed crawl is the same visitor to the site. */
import type { Note } from "../../kernel/ledger.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { CookieJar, StoredCookie } from "../../net/cookie-jar.ts";

const KEY = "cookies";

export class CookieNote {
  readonly #jar: CookieJar;
  #written = 0;

  constructor(jar: CookieJar) {
    this.#jar = jar;
  }

  /** Writes the jar if it has changed since. */
  write(context: Pick<CrawlContext, "note">): void {
    if (this.#jar.changes === this.#written) return;
    this.#written = this.#jar.changes;
    context.note({ key: KEY, value: JSON.stringify(this.#jar.cookies()) });
  }

  recover({ key, value }: Note): void {
    if (key === KEY) this.#jar.restore(JSON.parse(value) as StoredCookie[]);
  }
}
