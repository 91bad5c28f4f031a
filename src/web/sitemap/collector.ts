/** Collects the entries of a sitemap and its problems, within limits. */

export interface SitemapUrl {
  /** As written: not resolved, not canonical. */
  loc: string;
  /** As written. */
  lastmod?: string;
  priority?: string;
  changefreq?: string;
  /** The page in other languages, as written. */
  alternates?: Alternate[];
}

export type Alternate = [lang: string, href: string];

/** What an entry says about its address; fields it does not mention are empty. */
export interface EntryFacts {
  lastmod: string;
  priority: string;
  changefreq: string;
  alternates: Alternate[];
}

export interface SitemapLimits {
  /** Octets read after decompression. */
  maxBytes: number;
  /** URLs taken from one file, or sitemaps from one index. */
  maxUrls: number;
  /** Longest address taken, in characters. */
  maxUrlLength: number;
}

export interface SitemapCollector {
  readonly urls: SitemapUrl[];
  readonly sitemaps: string[];
  readonly problems: string[];
  /** The limit is reached: reading may stop. */
  truncated: boolean;
  addUrl(loc: string, facts?: Partial<EntryFacts>): void;
  addSitemap(loc: string): void;
  /** Each text is kept once, and only the first few texts are kept. */
  addProblem(text: string): void;
  /** Adds the problems that were only counted. */
  finish(): void;
}

const MAX_PROBLEMS = 20;
const MAX_PROBLEM_LENGTH = 200;
/** There are a few hundred language codes, and a page seldom has more than a hundred translations. */
const MAX_ALTERNATES = 300;
/** The longest date format in use is that of RFC 822, at about 31 characters. */
const MAX_DATE_LENGTH = 64;

export function createCollector(limits: SitemapLimits): SitemapCollector {
  const problems = new Set<string>();
  let unnamed = 0;
  let tooLong = 0;

  function isTaken(loc: string): boolean {
    if (loc === "") return false;
    if (loc.length > limits.maxUrlLength) tooLong++;
    else if (collector.urls.length + collector.sitemaps.length >= limits.maxUrls) collector.truncated = true;
    else return true;
    return false;
  }

  const collector = {
    urls: [] as SitemapUrl[],
    sitemaps: [] as string[],
    problems: [] as string[],
    truncated: false,
    addUrl(loc: string, { lastmod, priority, changefreq, alternates = [] }: Partial<EntryFacts> = {}) {
      if (!isTaken(loc)) return;
      const url: SitemapUrl = { loc };
      if (lastmod) url.lastmod = lastmod.slice(0, MAX_DATE_LENGTH);
      if (priority) url.priority = priority.slice(0, MAX_DATE_LENGTH);
      if (changefreq) url.changefreq = changefreq.slice(0, MAX_DATE_LENGTH);
      if (alternates.length > 0) url.alternates = alternates.slice(0, MAX_ALTERNATES);
      collector.urls.push(url);
    },
    addSitemap(loc: string) {
      if (isTaken(loc)) collector.sitemaps.push(loc);
    },
    addProblem(text: string) {
      const short = text.slice(0, MAX_PROBLEM_LENGTH);
      if (problems.has(short)) return;
      if (problems.size < MAX_PROBLEMS) problems.add(short);
      else unnamed++;
    },
    finish() {
      collector.problems.push(...problems);
      if (unnamed > 0) collector.problems.push(`and ${unnamed} more problems`);
      if (tooLong > 0)
        collector.problems.push(`${tooLong} addresses are longer than ${limits.maxUrlLength} characters`);
    },
  };
  return collector;
}
