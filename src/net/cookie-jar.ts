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
/** A wildcard host can invent a subdomain per page. */
const MAX_DOMAINS = 1_000;

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
  /** Domains that have cookies. Most sites have none, and then nothing more is looked up. */
  readonly #domains = new Set<string>();
  #changes = 0;

  /** `accepts`: whether the URL's host may set cookies and get them. */
  constructor(accepts: (url: string) => boolean) {
    this.#accepts = accepts;
  }

  /** Grows with every cookie that is set or removed. */
  get changes(): number {
    return this.#changes;
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

  /** Everything in the jar, oldest first. */
  cookies(): StoredCookie[] {
    const now = Date.now();
    const all = this.#jar.serializeSync()?.cookies ?? [];
    return all
      .map((data) => Cookie.fromJSON(data)!)
      .filter((cookie) => cookie.TTL(now) > 0)
      .map(storedCookie);
  }

  /** Takes back what `cookies` gave. */
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
    this.#changes++;
    this.#count(stored.domain);
  }

  /** Removing all of a domain and starting again is crude, and enough against a server that invents names. */
  #count(domain: string): void {
    this.#domains.add(domain);
    if (sizeOf(this.#store.idx[domain]) > MAX_COOKIES_PER_DOMAIN) {
      this.#store.removeCookies(domain, "");
      this.#domains.delete(domain);
    }
    if (this.#domains.size <= MAX_DOMAINS) return;
    this.#store = new MemoryCookieStore();
    this.#jar = new ToughJar(this.#store);
    this.#domains.clear();
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

/** The names under all paths of a domain. */
const sizeOf = (paths: Record<string, object> = {}): number =>
  Object.values(paths).reduce((sum, names) => sum + Object.keys(names).length, 0);

const finite = (time: number | undefined): number | null =>
  time === undefined || !Number.isFinite(time) ? null : time;
