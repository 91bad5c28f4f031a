/** What type of page a URL is, and which repo it belongs to, by the rules of the profile. */
import type { MetaCodec } from "../../kernel/ledger.ts";
import { type SafeRegex, safeRegex } from "../../web/filter.ts";
import { hostOf, pathOf } from "../../web/url.ts";
import type { PageTypeRule, Profile } from "../profile/profile.ts";

/** What the archive knows about a find. */
export interface ArchiveMeta {
  /** The number of its page type; 0 for a URL that no rule matches. */
  readonly pageType: number;
}

/** There are a few types and millions of URLs: each meta is made once. */
const metas: ArchiveMeta[] = [];

export const metaOfType = (pageType: number): ArchiveMeta => (metas[pageType] ??= { pageType });

/** A URL that no rule matches, or that the policy refuses. */
export const NO_TYPE = metaOfType(0);

/** How a URL was found is not stored: every find is a link or a seed. */
export const ARCHIVE_META: MetaCodec<ArchiveMeta> = {
  viaOf: () => 0,
  kindOf: ({ pageType }) => pageType,
  metaOf: (_via, kind) => metaOfType(kind),
};

export class PageTypes {
  readonly #rules: { rule: PageTypeRule; regex: SafeRegex }[];
  readonly #repoSegments: number;

  constructor(profile: Pick<Profile, "page_types" | "repo_segments">) {
    this.#rules = profile.page_types.map((rule) => ({ rule, regex: safeRegex(rule.pattern, "") }));
    this.#repoSegments = profile.repo_segments;
  }

  /** The number that stands for the type of a URL in the kernel. */
  numberOf(url: string): number {
    return this.#rules.findIndex(({ regex }) => regex.test(url)) + 1;
  }

  metaOf(url: string): ArchiveMeta {
    return metaOfType(this.numberOf(url));
  }

  ruleOf(number: number): PageTypeRule | null {
    return this.#rules[number - 1]?.rule ?? null;
  }

  /** Empty for a URL that no rule matches. */
  nameOf(number: number): string {
    return this.ruleOf(number)?.name ?? "";
  }

  /** Host and leading segments of the path; null for a page that does not belong to a repo. */
  repoOf(url: string, number: number): string | null {
    if (this.ruleOf(number)?.repo !== true) return null;
    const segments = pathOf(url).split("/", this.#repoSegments + 1);
    return (hostOf(url) + segments.join("/")).toLowerCase();
  }
}
