/** Cookies, one jar for each origin: what an origin sets goes back to that origin alone, not even to its subdomains. */
import { CookieJar } from "tough-cookie";

/** A crawl that checks thousands of external hosts must not keep a jar for each for ever. */
const MAX_JARS = 1_000;
/** RFC 6265 section 6.1 asks for at least these; a server that sets more would grow every request to it. */
const MAX_COOKIES = 50;
const MAX_COOKIE_BYTES = 4_096;

export class CookieJars {
  readonly #jars = new Map<string, CookieJar>();

  /** The `Cookie` header for this URL; null when there is nothing to send. */
  header(origin: string, url: string): string | null {
    const cookies = this.#jars.get(origin)?.getCookieStringSync(url);
    return cookies === undefined || cookies === "" ? null : cookies;
  }

  /** Keeps the `Set-Cookie` values of an answer. tough-cookie refuses public suffixes and other hosts' domains. */
  store(origin: string, url: string, values: readonly string[]): void {
    if (values.length === 0) return;
    const jar = this.#jars.get(origin) ?? this.#open(origin);
    for (const value of values.slice(0, MAX_COOKIES)) {
      if (value.length > MAX_COOKIE_BYTES) continue;
      jar.setCookieSync(value, url, { ignoreError: true });
    }
    // Removing all and starting again is crude, and enough against a server that makes a new name every time.
    if (jar.serializeSync()!.cookies.length > MAX_COOKIES) jar.removeAllCookiesSync();
  }

  #open(origin: string): CookieJar {
    if (this.#jars.size >= MAX_JARS) this.#jars.delete(this.#jars.keys().next().value!);
    const jar = new CookieJar();
    this.#jars.set(origin, jar);
    return jar;
  }
}
