/**
 * Soft 404s: pages that say "not found" with status 200. One made-up address per host shows what the host answers for a
 * page that does not exist; a page that says the same is a soft 404.
 *
 * A host is asked when it has a second page to compare; the first page only proves that it does not answer everything
 * alike. Every page but the first waits for the answer, and verdicts are given when outcomes are applied, which happens
 * in the same order at any parallelism: they do not depend on when the host answered. What was learned is stored as
 * notes in the crawl's ledger, so that a resumed crawl does not ask again.
 *
 * The address is not part of the crawl: it has no row and counts towards no limit, and the site's cookies stay as they
 * are.
 */
import { hash } from "node:crypto";
import type { Note } from "../../kernel/ledger.ts";
import type { CrawlContext } from "../../kernel/product.ts";
import type { Task } from "../../kernel/task.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { originOf, pathAndQueryOf, pathOf } from "../../web/url.ts";
import { isListing, type SiteMeta } from "../links/link-kinds.ts";
import type { Visit, Visitor } from "./site-visit.ts";

const PREFIX = "made-up-page:";

/** What is known about a host. Digests are empty for a page without text. */
interface HostAnswers {
  /** The page that was applied first. */
  first: { url: string; digests: readonly string[] } | null;
  /** What it says about a page that does not exist; empty when its status tells, null when it was not asked. */
  missing: readonly string[] | null;
}

export interface Soft404Options {
  visitor: Pick<Visitor, "probe">;
  mayFetch: (url: string, context: CrawlContext) => Promise<boolean>;
  /** Whether its host is part of the site. */
  isInternal: (url: string) => boolean;
}

export class Soft404s {
  readonly #options: Soft404Options;
  readonly #hosts = new Map<string, HostAnswers>();
  /** Hosts from which a page was fetched, though perhaps not applied. */
  readonly #begun = new Set<string>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: Soft404Options) {
    this.#options = options;
  }

  recover({ key, value }: Note): void {
    if (!key.startsWith(PREFIX)) return;
    const origin = key.slice(PREFIX.length);
    this.#hosts.set(origin, JSON.parse(value) as HostAnswers);
    this.#begun.add(origin);
  }

  /** Resolves when enough is known about the page's host to judge the page. */
  learn(task: Task<SiteMeta>, visit: Visit, context: CrawlContext): Promise<void> {
    const origin = originOf(task.key);
    if (!this.#isCompared(task, visit) || this.#of(origin).missing !== null) return Promise.resolve();
    if (!this.#begun.has(origin)) {
      this.#begun.add(origin);
      return Promise.resolve();
    }
    let asking = this.#asking.get(origin);
    if (asking === undefined) {
      asking = this.#ask(task.key, context).finally(() => this.#asking.delete(origin));
      this.#asking.set(origin, asking);
    }
    return asking;
  }

  /** Whether a page is a soft 404. Call it when the page's outcome is applied. */
  judge(task: Task<SiteMeta>, visit: Visit, context: CrawlContext): boolean {
    if (!this.#isCompared(task, visit)) return false;
    const origin = originOf(task.key);
    const { first, missing } = this.#of(origin);
    const digests = missing?.length === 0 && first !== null ? [] : digestsOf(task.key, visit);
    if (first === null) {
      this.#keep(origin, { first: { url: task.key, digests }, missing }, context);
      return false;
    }
    const isMissing = (digest: string) => missing?.includes(digest) === true;
    // If even the first page is like the made-up one, the host answers everything with it, and scripts do the rest.
    return digests.some(isMissing) && !first.digests.some(isMissing);
  }

  async #ask(page: string, context: CrawlContext): Promise<void> {
    const origin = originOf(page);
    let missing: string[] = [];
    try {
      const url = await this.#madeUp(this.#of(origin).first?.url ?? page, context);
      const visit = url === null ? null : await this.#options.visitor.probe(url, context);
      if (visit !== null && isContent(visit)) missing = digestsOf(url!, visit);
    } catch (error) {
      if (!(error instanceof FetchError) || context.signal.aborted) throw error;
    }
    this.#keep(origin, { first: this.#of(origin).first, missing }, context);
  }

  /** At the top of the host; next to the page if only its folder is crawled; null when neither may be fetched. */
  async #madeUp(page: string, context: CrawlContext): Promise<string | null> {
    const origin = originOf(page);
    const name = `no-such-page-${hash("sha1", origin).slice(0, 12)}`;
    for (const url of [`${origin}/${name}`, new URL(name, page).href]) {
      if (await this.#options.mayFetch(url, context)) return url;
    }
    return null;
  }

  /** A list is checked as it is. */
  #isCompared({ key, meta }: Task<SiteMeta>, visit: Visit): boolean {
    return isContent(visit) && meta.via !== "list" && !isListing(meta.kind) && this.#options.isInternal(key);
  }

  #of(origin: string): HostAnswers {
    return this.#hosts.get(origin) ?? { first: null, missing: null };
  }

  #keep(origin: string, answers: HostAnswers, context: CrawlContext): void {
    this.#hosts.set(origin, answers);
    context.note({ key: PREFIX + origin, value: JSON.stringify(answers) });
  }
}

const isContent = ({ response, content, redirect }: Visit): boolean =>
  response.status === 200 && content !== null && redirect === null;

/** Leaves out times, and numbers of requests. Runs in linear time, because a page may consist of one long word. */
const withoutNumbers = (text: string): string =>
  text
    .split(/\s+/)
    .filter((word) => !/\d/.test(word))
    .join(" ");

/**
 * What a page says: once as it is, and once without words that contain numbers. The requested address is left out,
 * because many pages repeat it.
 */
function digestsOf(url: string, visit: Visit): string[] {
  const { facts, links, textBytes, textRest } = visit.rendered?.content ?? visit.content!;
  // No error page is so long that part of its text is not kept.
  if (facts.word_count === 0 || textRest !== null) return [];
  const text = `${facts.title}\n${links.texts.toString("utf8", 0, textBytes)}`;
  const path = pathOf(url);
  const own = [url, pathAndQueryOf(url), path, path.slice(1), path.slice(path.lastIndexOf("/") + 1)];
  const withoutOwn = own.reduce((rest, part) => (part.length > 1 ? rest.replaceAll(part, "") : rest), text);
  const words = withoutNumbers(withoutOwn);
  const said = /\p{L}/u.test(words) ? [text, withoutOwn, words] : [text, withoutOwn];
  return [...new Set(said)].map((each) => hash("sha1", each));
}
