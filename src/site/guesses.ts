/** Files that no page needs to link to, requested at their usual places: sitemaps and llms.txt. */
import type { Task, Verdict } from "../kernel/task.ts";
import type { SiteMeta } from "./links/link-kinds.ts";
import type { FoundLinks } from "./links/site-links.ts";
import type { Reason } from "./site-reasons.ts";
import { isGuessThere } from "./site-seeds.ts";
import type { Visit } from "./visit/site-visit.ts";

export class Guesses {
  /** Guesses that are not settled yet, each with whether a page links to it. */
  readonly #open = new Map<string, boolean>();

  admit(url: string): void {
    this.#open.set(url, false);
  }

  /** Guesses are made at the start and settled soon, so the links of most pages need not be checked. */
  noteLinks({ targets }: FoundLinks): void {
    if (this.#open.size === 0) return;
    for (const { url } of targets) if (this.#open.has(url)) this.#open.set(url, true);
  }

  /** The verdict against a guess that does not exist: it was never part of the site. Null when it counts. */
  settle({ key, meta }: Task<SiteMeta>, visit: Visit | null): Verdict | null {
    const isLinked = this.#open.get(key) === true;
    this.#open.delete(key);
    if (isLinked || isGuessThere(meta, visit)) return null;
    const reason: Reason = meta.kind === "llms" ? "no_llms" : "no_sitemap";
    return { action: "skip", reason, rule: null };
  }
}
