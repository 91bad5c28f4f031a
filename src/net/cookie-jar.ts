/**
 * The cookies of one crawl (RFC 6265): a `Domain` widens a cookie down to the public suffix, never to it, and domains
 * under which anybody may register (github.io) count as suffixes. Hosts that the caller does not accept set no cookies
 * and get none.
 */
import { getDomain } from "tldts";
import { Cookie, MemoryCookieStore, CookieJar as ToughJar } from "tough-cookie";

/** RFC 6265 section 6.1 asks for at least these; a server that sets more would grow every request to it. */
const MAX_COOKIES_PER_DOMAIN = 50;
const MAX_COOKIE_BYTES = 4_096;
/** A wildcard host can invent a subdomain per page, and fill each: names and values of all cookies, and their domains. */
const MAX_DOMAINS = 1_000;
const MAX_CHARACTERS = 2_000_000;

/** A cookie as it is stored with a crawl, and given to a browser. */
export interface StoredCookie {
  name: string;
  value: string;
  /** Without a leading dot. */
  domain: string;
  /** For this host alone, not its subdomains. */
  hostOnly: boolean;
  path: string;
  secure: boolean;
  httpOnly: boolean;
  /** Ms since 1970; null for the length of the crawl. */
  expires: number | null;
}

export class CookieJar {
  readonly #accepts: (url: string) => boolean;
  #store = new MemoryCookieStore();
  #jar = new ToughJar(this.#store);
  /** Domains that have cookies, and how long these are. Most sites have none, and then nothing more is looked up. */
  readonly #domains = new Map<string, number>();
  #characters = 0;
  /** Domains whose cookies have changed since they were last taken. */
  #changed = new Set<string>();

  /** `accepts`: whether the URL's host may set cookies and get them. */
  constructor(accepts: (url: string) => boolean) {
    this.#accepts = accepts;
  }

  get isEmpty(): boolean {
    return this.#domains.size === 0;
  }

  /** The `Cookie` header for this URL; null when there is nothing to send. */
  header(url: URL): string | null {
    if (this.#domains.size === 0 || !this.#hasAny(url.hostname) || !this.#accepts(url.href)) return null;
    return this.#jar.getCookieStringSync(url.href) || null;
  }

  /** Keeps the `Set-Cookie` values of an answer. */
  store(url: URL, values: readonly string[]): void {
    if (!this.#accepts(url.href)) return;
    for (const value of values.slice(0, MAX_COOKIES_PER_DOMAIN)) {
      const cookie = value.length > MAX_COOKIE_BYTES ? undefined : Cookie.parse(value);
      if (cookie !== undefined && hasDomain(cookie)) this.#set(cookie, url);
    }
  }

  /** What `header` sends, one by one. */
  cookiesFor(url: URL): StoredCookie[] {
    return this.header(url) === null ? [] : this.#jar.getCookiesSync(url.href).map(storedCookie);
  }

  /** Each domain whose cookies were set or removed since the last call, with all that it has now, oldest first. */
  takeChanged(): [domain: string, cookies: StoredCookie[]][] {
    const changed = [...this.#changed];
    this.#changed = new Set();
    const now = Date.now();
    const byAge = (a: Cookie, b: Cookie) => (a.creationIndex ?? 0) - (b.creationIndex ?? 0);
    return changed.map((domain) => {
      const kept = this.#cookiesOf(domain).filter((cookie) => cookie.TTL(now) > 0);
      return [domain, kept.sort(byAge).map(storedCookie)];
    });
  }

  /** Takes back what `takeChanged` gave. */
  restore(cookies: readonly StoredCookie[]): void {
    for (const { name, expires, ...rest } of cookies) {
      const cookie = new Cookie({ ...rest, key: name, expires: expires === null ? "Infinity" : new Date(expires) });
      this.#store.putCookie(cookie);
      this.#count(rest.domain);
    }
  }

  #set(cookie: Cookie, url: URL): void {
    const domain = cookie.cdomain();
    if (domain !== null && domain !== undefined && isSuffix(domain)) {
      // RFC 6265 section 5.3: a suffix that names itself means itself alone.
      if (domain !== url.hostname) return;
      cookie.domain = null;
    }
    // The library counts Max-Age from the last use, which would keep a cookie for as long as it is used.
    if (typeof cookie.maxAge === "number") {
      cookie.expires = new Date(Date.now() + cookie.maxAge * 1000);
      cookie.maxAge = null;
    }
    const stored = this.#jar.setCookieSync(cookie, url.href, { ignoreError: true });
    if (stored?.domain == null) return;
    this.#count(stored.domain);
    this.#changed.add(stored.domain);
  }

  #cookiesOf(domain: string): Cookie[] {
    return Object.values(this.#store.idx[domain] ?? {}).flatMap((names) => Object.values(names));
  }

  /** Removing all of a domain and starting again is crude, and enough against a server that invents names. */
  #count(domain: string): void {
    const cookies = this.#cookiesOf(domain);
    const isTooMany = cookies.length > MAX_COOKIES_PER_DOMAIN;
    const length = cookies.reduce((sum, { key, value }) => sum + key.length + value.length, domain.length);
    this.#characters += (isTooMany ? 0 : length) - (this.#domains.get(domain) ?? 0);
    this.#domains.set(domain, length);
    if (isTooMany) {
      this.#store.removeCookies(domain, "");
      this.#domains.delete(domain);
    }
    if (this.#domains.size <= MAX_DOMAINS && this.#characters <= MAX_CHARACTERS) return;
    for (const each of this.#domains.keys()) this.#changed.add(each);
    this.#store = new MemoryCookieStore();
    this.#jar = new ToughJar(this.#store);
    this.#domains.clear();
    this.#characters = 0;
  }

  #hasAny(host: string): boolean {
    for (let at = 0; at >= 0; at = host.indexOf(".", at) + 1 || -1) {
      if (this.#domains.has(at === 0 ? host : host.slice(at))) return true;
    }
    return false;
  }
}

const storedCookie = (cookie: Cookie): StoredCookie => ({
  name: cookie.key,
  value: cookie.value,
  domain: cookie.domain!,
  hostOnly: cookie.hostOnly ?? false,
  path: cookie.path ?? "/",
  secure: cookie.secure,
  httpOnly: cookie.httpOnly,
  expires: finite(cookie.expiryTime()),
});

/** The library throws on a `Domain` that cannot be the name of a host, such as one of letters beyond ASCII with a space. */
function hasDomain(cookie: Cookie): boolean {
  try {
    cookie.cdomain();
    return true;
  } catch {
    return false;
  }
}

const isSuffix = (host: string): boolean => getDomain(host, { allowPrivateDomains: true }) === null;

const finite = (time: number | undefined): number | null =>
  time === undefined || !Number.isFinite(time) ? null : time;
