/** What belongs to the crawl: which hosts are part of the site, which folder, which patterns. */
import { getDomain } from "tldts";
import { compileFilters, type UrlFilter } from "./filter.ts";
import { hostOf, pathOf } from "./url.ts";

export interface ScopeOptions {
  /** Canonical URLs. Their hosts are the site. */
  startUrls: readonly string[];
  /** Further hosts of the site, such as `docs.example.net` or `example.net:8443`, in lower case and punycode. */
  hosts?: readonly string[];
  /** Every host of the same registrable domain, on the same port, is the site's own too; so are those below `hosts`. */
  subdomains: boolean;
  /** Stay in the folders of the start URLs. */
  startFolder: boolean;
  /** If any are given, a URL must match one of them. Form: see `filter.ts`. */
  include: readonly string[];
  /** A URL that matches one of these is excluded. */
  exclude: readonly string[];
}

export interface ScopeVerdict {
  /** The URL is on one of the site's hosts. */
  readonly internal: boolean;
  readonly inScope: boolean;
  readonly reason: "external" | "outside_folder" | "excluded" | "not_included" | null;
  /** What decided, in words. */
  readonly rule: string | null;
}

export interface Scope {
  /** Takes a canonical URL. */
  classify(url: string): ScopeVerdict;
}

/**
 * The most hosts that are cached. A full cache is emptied, so that a page with a million hosts costs time, not memory.
 */
const REMEMBERED_HOSTS = 4096;

const IN_SCOPE: ScopeVerdict = Object.freeze({ internal: true, inScope: true, reason: null, rule: null });

function verdict(internal: boolean, reason: ScopeVerdict["reason"], rule: string): ScopeVerdict {
  return Object.freeze({ internal, inScope: false, reason, rule });
}

/** `www.example.com` and `example.com` count as one site, whichever redirects to the other. */
function withoutWww(host: string): string {
  return host.startsWith("www.") ? host.slice(4) : host;
}

/**
 * The registrable domain; null for addresses and names such as localhost. Domains where anyone can register a name
 * (github.io) count as suffixes: other names there are not part of the site.
 */
function registrableDomain(host: string): string | null {
  return getDomain(host, { allowPrivateDomains: true });
}

/** What a host shares with its subdomains: its registrable domain and port. Two ports may belong to two people. */
export function domainAndPort(host: string): string | null {
  const domain = registrableDomain(host);
  return domain === null ? null : domain + (/:\d+$/.exec(host)?.[0] ?? "");
}

function createHostTest(options: ScopeOptions): (host: string) => boolean {
  const hosts = new Set(options.startUrls.map((url) => withoutWww(hostOf(url))));
  const domains = new Set<string>();
  const further = options.hosts ?? [];
  const isBelow = (host: string) => options.subdomains && further.some((each) => host.endsWith(`.${each}`));
  if (options.subdomains) {
    for (const host of hosts) {
      const domain = domainAndPort(host);
      if (domain !== null) domains.add(domain);
    }
  }
  for (const host of further) hosts.add(withoutWww(host));
  const known = new Map<string, boolean>();
  return (host) => {
    let internal = known.get(host);
    if (internal === undefined) {
      const domain = domains.size > 0 ? domainAndPort(host) : null;
      internal = hosts.has(withoutWww(host)) || (domain !== null && domains.has(domain)) || isBelow(host);
      if (known.size >= REMEMBERED_HOSTS) known.clear();
      known.set(host, internal);
    }
    return internal;
  };
}

/** Gives `/docs/` for `/docs/`, `/docs/index.html` and `/docs`: a last segment without a dot is taken for a folder. */
function folderOf(url: string): string {
  const path = pathOf(url);
  const slash = path.lastIndexOf("/") + 1;
  const isFolder = slash < path.length && !path.includes(".", slash);
  return isFolder ? `${path}/` : path.slice(0, slash);
}

function isInFolder(path: string, folder: string): boolean {
  return path.startsWith(folder) || (path.length === folder.length - 1 && folder.startsWith(path));
}

/** Throws BAD_CONFIG when a pattern cannot be used. */
export function createScope(options: ScopeOptions): Scope {
  const isInternal = createHostTest(options);
  const folders = options.startFolder ? options.startUrls.map(folderOf) : [];
  // A start URL limits its own host only. On a subdomain there is no folder to stay in.
  const bounds = new Map<string, string[]>();
  folders.forEach((folder, index) => {
    const host = withoutWww(hostOf(options.startUrls[index]!));
    bounds.set(host, [...(bounds.get(host) ?? []), folder]);
  });
  const includes = compileFilters(options.include);
  const excludes = compileFilters(options.exclude).map((filter): [UrlFilter, ScopeVerdict] => [
    filter,
    verdict(true, "excluded", filter.written),
  ]);
  // Verdicts are created once, here, and shared, so that classifying a URL creates no object.
  const external = verdict(
    false,
    "external",
    `hosts: ${[...options.startUrls.map(hostOf), ...(options.hosts ?? [])].join(", ")}`,
  );
  const outside = verdict(true, "outside_folder", `folders: ${folders.join(", ")}`);
  const notIncluded = verdict(true, "not_included", `include: ${options.include.join(", ")}`);

  return {
    classify(url) {
      const host = hostOf(url);
      if (!isInternal(host)) return external;
      const own = bounds.size > 0 ? bounds.get(withoutWww(host)) : undefined;
      if (own !== undefined) {
        const path = pathOf(url);
        if (!own.some((folder) => isInFolder(path, folder))) return outside;
      }
      for (const [filter, excluded] of excludes) if (filter.matches(url)) return excluded;
      if (includes.length > 0 && !includes.some((filter) => filter.matches(url))) return notIncluded;
      return IN_SCOPE;
    },
  };
}
