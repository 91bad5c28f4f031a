/**
 * The most that is archived of a repo. The counts are kept in small tables and rebuilt from the ledger after a restart.
 */
import { SeenTable } from "../../kernel/seen.ts";
import type { Verdict } from "../../kernel/task.ts";
import type { Profile } from "../profile/profile.ts";
import { type Reason, skip } from "./policy.ts";

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
