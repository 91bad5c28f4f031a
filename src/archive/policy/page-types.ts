/** What kind of page a URL is, and which repo it belongs to, by the rules of the profile. */
import { type SafeRegex, safeRegex } from "../../web/regex.ts";
import { hostOf, pathOf } from "../../web/url.ts";
import type { PageTypeRule, Profile } from "../profile/profile.ts";

/** A URL that no rule names. */
export const NO_TYPE = 0;

export class PageTypes {
  readonly #rules: { rule: PageTypeRule; regex: SafeRegex }[];
  readonly #repoSegments: number;

  constructor(profile: Pick<Profile, "page_types" | "repo_segments">) {
    this.#rules = profile.page_types.map((rule) => ({ rule, regex: safeRegex(rule.pattern, "") }));
    this.#repoSegments = profile.repo_segments;
  }

  /** The number under which the type of a URL goes through the kernel. */
  numberOf(url: string): number {
    return this.#rules.findIndex(({ regex }) => regex.test(url)) + 1;
  }

  ruleOf(number: number): PageTypeRule | null {
    return this.#rules[number - 1]?.rule ?? null;
  }

  /** Empty for a URL that no rule names. */
  nameOf(number: number): string {
    return this.ruleOf(number)?.name ?? "";
  }

  /** Host and leading segments of the path; null for a page that is not a repo's. */
  repoOf(url: string, number: number): string | null {
    if (this.ruleOf(number)?.repo !== true) return null;
    const segments = pathOf(url).split("/", this.#repoSegments + 1);
    return (hostOf(url) + segments.join("/")).toLowerCase();
  }
}
