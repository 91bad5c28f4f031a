/**
 * The archive's gate: one verdict per URL. It asks the policy, then depth, then robots.txt, then the caps of the repo,
 * which it counts itself.
 */

import type { Known } from "../../kernel/ledger.ts";
import { SeenTable } from "../../kernel/seen.ts";
import { CRAWL, type Found, type Verdict } from "../../kernel/task.ts";
import type { ArchiveSettings } from "../config/parse-archive-config.ts";
import { type Caps, capKey } from "../profile/profile.ts";
import { type ArchiveMeta, createPolicy, PageTypes, type Policy, skip } from "./policy.ts";

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

  /** For a URL that was fetched before: it already has its place in the caps. */
  decideAgain({ key }: Found<ArchiveMeta>): Verdict {
    return this.#policy.judge(key) ?? this.#robots(key) ?? CRAWL;
  }

  /** After a restart, caps continue where they were. */
  recover(known: Known): void {
    if (known.action === "crawl") this.#spend(known.key, this.#types.numberOf(known.key));
  }

  #way({ depth, hops }: Found): Verdict | null {
    if (this.#maxDepth > 0 && depth > this.#maxDepth) return skip("max_depth", `caps.max_depth ${this.#maxDepth}`);
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

/** Every page of a repo counts towards this cap. Only pages whose types name the other caps count towards them. */
const ALL_PAGES = "pages";

/**
 * The most pages of a repo that are archived. The counts are kept in small tables and rebuilt from the ledger after a
 * restart.
 */
export class RepoCaps {
  /** By the name of the cap. Counted even without a limit, because a reloaded config may set one. */
  readonly #spent = new Map<string, SeenTable>();
  #limits: Caps;

  constructor(caps: Caps) {
    this.#limits = caps;
  }

  setLimits(caps: Caps): void {
    this.#limits = caps;
  }

  /** The verdict against one more page of this repo, if there is one. */
  judge(repo: string, own: string | null): Verdict | null {
    for (const name of namesOf(own)) {
      const limit = this.#limits[capKey(name)] ?? 0;
      if (limit > 0 && this.#table(name).get(repo) >= limit) {
        return skip(`repo_max_${name}`, `caps.${capKey(name)} ${limit}: ${repo}`);
      }
    }
    return null;
  }

  spend(repo: string, own: string | null): void {
    for (const name of namesOf(own)) {
      const spent = this.#table(name);
      spent.set(repo, spent.get(repo) + 1);
    }
  }

  #table(name: string): SeenTable {
    let table = this.#spent.get(name);
    if (table === undefined) {
      table = new SeenTable();
      this.#spent.set(name, table);
    }
    return table;
  }
}

const namesOf = (own: string | null): string[] => (own === null || own === ALL_PAGES ? [ALL_PAGES] : [ALL_PAGES, own]);
