/**
 * Gets through redirects that only set a cookie. A page that redirects to itself, or to a wall that leads back to it,
 * is requested again once the jar has more to send, as a browser would do; otherwise the crawl would end there.
 *
 * A wall is expected only where one is likely. Answers fetched on the way are used when the crawl gets to them, so that
 * nothing is requested twice.
 */
import type { CrawlContext } from "../../kernel/product.ts";
import type { Task } from "../../kernel/task.ts";
import type { HttpResponse } from "../../net/client.ts";
import type { CookieJar } from "../../net/cookie-jar.ts";
import { FetchError } from "../../net/fetch-errors.ts";
import { type Canonicalize, hostOf, originOf, pathOf, prepareBase } from "../../web/url.ts";
import type { SiteMeta } from "../links/link-kinds.ts";

export interface CookieWallOptions {
  cookies: CookieJar;
  canonicalize: Canonicalize;
  fetch: (url: string, signal: AbortSignal) => Promise<HttpResponse>;
  /** Whether the crawl would fetch this URL. */
  mayFetch: (url: string, context: CrawlContext) => Promise<boolean>;
  maxRedirects: number;
}

/** The maximum number of further requests for one page: a server may set another cookie each time. */
const MAX_REQUESTS = 5;
/** Answers that wait until the crawl reaches their URLs, which is soon. */
const MAX_KEPT = 100;
/** Walls that do not lead back, such as a login form. */
const MAX_DEAD_ENDS = 1_000;

export class CookieWalls {
  readonly #options: CookieWallOptions;
  readonly #limit: number;
  readonly #kept = new Map<string, HttpResponse>();
  readonly #deadEnds = new Set<string>();

  constructor(options: CookieWallOptions) {
    this.#options = options;
    this.#limit = Math.min(MAX_REQUESTS, options.maxRedirects);
  }

  /** The cookies that a request for this URL would send now. */
  sent(url: string): string {
    const { cookies } = this.#options;
    return cookies.isEmpty ? "" : (cookies.header(new URL(url)) ?? "");
  }

  /** The answer that was fetched on the way to another page. */
  takeKept(url: string): HttpResponse | null {
    const kept = this.#kept.get(url) ?? null;
    if (kept !== null) this.#kept.delete(url);
    return kept;
  }

  /** The page behind the wall, or the redirect if there is no wall. `sent`: the cookies of the first request. */
  async pass(
    task: Task<SiteMeta>,
    first: HttpResponse,
    sent: string,
    again: () => Promise<HttpResponse>,
    context: CrawlContext,
  ): Promise<HttpResponse> {
    let answer = first;
    for (let left = this.#limit; answer.location !== null && left > 0; left--) {
      if (!(await this.#leadsBack(task, answer, sent, context)) || this.sent(task.key) === sent) break;
      sent = this.sent(task.key);
      await context.pace(task.lane);
      answer = await again();
    }
    return answer;
  }

  async #leadsBack(task: Task<SiteMeta>, answer: HttpResponse, sent: string, context: CrawlContext): Promise<boolean> {
    let target = this.#target(answer, task.key);
    if (target === task.key) return true;
    if (target === null || !this.#mayBeWall(task, target, sent)) return false;
    const wall = originOf(target) + pathOf(target);
    for (let hop = 0; target !== null && hop < this.#limit; hop++) {
      if (!(await this.#options.mayFetch(target, context))) return false;
      const passed = await this.#fetch(target, context);
      target = passed === null ? null : this.#target(passed, target);
      if (target === task.key) return true;
    }
    if (this.#deadEnds.size < MAX_DEAD_ENDS) this.#deadEnds.add(wall);
    return false;
  }

  /** Most redirects are not walls. One is likely at the start, where a first cookie was set, or if the target names the way back. */
  #mayBeWall(task: Task<SiteMeta>, target: string, sent: string): boolean {
    if (this.#deadEnds.has(originOf(target) + pathOf(target))) return false;
    if (task.meta.via === "initial" || hasNewName(sent, this.sent(task.key))) return true;
    const base = prepareBase(target);
    for (const value of new URL(target).searchParams.values()) {
      if (/^(?:https?:)?\//i.test(value) && this.#options.canonicalize(value, base) === task.key) return true;
    }
    return false;
  }

  async #fetch(url: string, context: CrawlContext): Promise<HttpResponse | null> {
    await context.pace(hostOf(url));
    try {
      const response = await this.#options.fetch(url, context.signal);
      if (this.#kept.size >= MAX_KEPT) this.#kept.delete(this.#kept.keys().next().value!);
      this.#kept.set(url, response);
      return response;
    } catch (error) {
      if (error instanceof FetchError && !context.signal.aborted) return null;
      throw error;
    }
  }

  #target({ location }: HttpResponse, from: string): string | null {
    const target = location === null ? null : this.#options.canonicalize(location, prepareBase(from));
    return typeof target === "string" ? target : null;
  }
}

const namesOf = (header: string): string[] => header.split("; ").map((cookie) => cookie.split("=", 1)[0]!);

function hasNewName(before: string, after: string): boolean {
  if (after === "" || after === before) return false;
  const known = new Set(namesOf(before));
  return namesOf(after).some((name) => !known.has(name));
}
