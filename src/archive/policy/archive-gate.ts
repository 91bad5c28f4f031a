/**
 * The archive's gate: one verdict per URL. Policy, then depth, then robots.txt, then the caps of its repo, which are
 * counted here.
 */

import type { Known } from "../../kernel/ledger.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { CRAWL, type Found, type Verdict } from "../../kernel/task.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import type { Profile } from "../profile/profile.ts";
import { type ArchiveMeta, createPolicy, PageTypes, type Policy, type Reason, skip } from "./policy.ts";

/** As many as RFC 9309 allows for robots.txt. */
const MAX_REDIRECTS = 5;

export interface ArchiveGateOptions {
  settings: ArchiveSettings;
  /** The verdict of robots.txt against a URL; null if there isn't one, or robots.txt is not known yet. */
  robots: (url: string) => Verdict | null;
}

export class ArchiveGate {
  readonly #types: PageTypes;
  readonly #robots: ArchiveGateOptions["robots"];
  readonly #caps: RepoCaps;
  #policy: Policy;
  #maxDepth: number;

  constructor({ settings, robots }: ArchiveGateOptions) {
    this.#types = new PageTypes(settings.profile);
    this.#robots = robots;
    this.#caps = new RepoCaps(settings.caps);
    this.#policy = createPolicy(settings);
    this.#maxDepth = settings.caps.max_depth;
  }

  get types(): PageTypes {
    return this.#types;
  }

  /** Applies the patterns and caps of a reloaded config. Earlier decisions stand. */
  apply(settings: ArchiveSettings): void {
    this.#policy = createPolicy(settings);
    this.#caps.setLimits(settings.caps);
    this.#maxDepth = settings.caps.max_depth;
  }

  /** What the policy alone says against a URL, without robots.txt and caps. */
  policy(url: string): Verdict | null {
    return this.#policy.judge(url);
  }

  decide(found: Found<ArchiveMeta>): Verdict {
    const against =
      this.#policy.judge(found.key) ?? this.#way(found) ?? this.#robots(found.key) ?? this.#allowance(found);
    if (against !== null) return against;
    this.#spend(found.key, found.meta.pageType);
    return CRAWL;
  }

  /** After a restart, caps continue where they were. */
  recover(known: Known): void {
    if (known.action === "crawl") this.#spend(known.key, this.#types.numberOf(known.key));
  }

  #way({ depth, hops }: Found): Verdict | null {
    // A redirect is a step of its own, so that depths never decrease, but it does not make its target deeper than its
    // source.
    if (this.#maxDepth > 0 && depth - hops > this.#maxDepth)
      return skip("max_depth", `caps.max_depth ${this.#maxDepth}`);
    return hops > MAX_REDIRECTS ? skip("max_redirects", `${MAX_REDIRECTS} redirects in a row`) : null;
  }

  #allowance({ key, meta: { pageType } }: Found<ArchiveMeta>): Verdict | null {
    const repo = this.#types.repoOf(key, pageType);
    return repo === null ? null : this.#caps.judge(repo, this.#types.ruleOf(pageType)?.cap ?? null);
  }

  #spend(url: string, kind: number): void {
    const repo = this.#types.repoOf(url, kind);
    if (repo !== null) this.#caps.spend(repo, this.#types.ruleOf(kind)?.cap ?? null);
  }
}

/**
 * The most that is archived of a repo. The counts are kept in small tables and rebuilt from the ledger after a restart.
 */
const KINDS = ["pages", "issues", "prs"] as const;
export type CapKind = (typeof KINDS)[number];

const REASON_OF: Record<CapKind, Reason> = {
  pages: "repo_max_pages",
  issues: "repo_max_issues",
  prs: "repo_max_prs",
};

export class RepoCaps {
  /** Counted even without a limit: a reloaded config may set one. */
  readonly #spent: Record<CapKind, SeenTable> = {
    pages: new SeenTable(),
    issues: new SeenTable(),
    prs: new SeenTable(),
  };
  #limits: Record<CapKind, number>;

  constructor(caps: Profile["caps"]) {
    this.#limits = limitsOf(caps);
  }

  setLimits(caps: Profile["caps"]): void {
    this.#limits = limitsOf(caps);
  }

  /** The verdict against one more page of this repo, if any. */
  judge(repo: string, own: CapKind | null): Verdict | null {
    for (const kind of kindsOf(own)) {
      const limit = this.#limits[kind];
      if (limit > 0 && this.#spent[kind].get(repo) >= limit) {
        return skip(REASON_OF[kind], `caps.per_repo_max_${kind} ${limit}: ${repo}`);
      }
    }
    return null;
  }

  spend(repo: string, own: CapKind | null): void {
    for (const kind of kindsOf(own)) this.#spent[kind].set(repo, this.#spent[kind].get(repo) + 1);
  }
}

const kindsOf = (own: CapKind | null): CapKind[] => (own === null ? ["pages"] : ["pages", own]);

const limitsOf = (caps: Profile["caps"]): Record<CapKind, number> => ({
  pages: caps.per_repo_max_pages,
  issues: caps.per_repo_max_issues,
  prs: caps.per_repo_max_prs,
});
