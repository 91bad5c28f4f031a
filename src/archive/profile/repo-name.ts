/** Which repo a page belongs to, by the groups that its type's pattern matched or by the first segments of its path. */
import type { SafeRegex } from "../../web/safe-regex.ts";
import { hostOf, pathOf } from "../../web/url.ts";
import type { PageTypeRule } from "./profile.ts";

const PLACE = /\{(\w+)\}/g;

/** The group that names the repo when a page type says `repo: true` and its pattern has it. */
const USUAL_GROUP = "repo";

/** The groups of the pattern that name the repo; empty when the path names it, or there is no repo. */
export function repoGroups(repo: PageTypeRule["repo"], { groups }: SafeRegex): string[] {
  if (typeof repo === "string") return Array.from(repo.matchAll(PLACE), ([, group]) => group!);
  return repo && groups.includes(USUAL_GROUP) ? [USUAL_GROUP] : [];
}

/** The repo of a URL of this type, with its host, in lower case; null for a type whose pages belong to no repo. */
export type RepoOf = (url: string) => string | null;

export function repoNaming(repo: PageTypeRule["repo"], regex: SafeRegex, segments: number): RepoOf {
  if (repo === false) return () => null;
  const groups = repoGroups(repo, regex);
  if (repo === true && groups.length === 0) {
    return (url) =>
      (
        hostOf(url) +
        pathOf(url)
          .split("/", segments + 1)
          .join("/")
      ).toLowerCase();
  }
  const template = repo === true ? `{${USUAL_GROUP}}` : repo;
  return (url) => {
    const found = regex.capture(url, groups);
    if (found === null) return null;
    let next = 0;
    return `${hostOf(url)}/${template.replace(PLACE, () => found[next++]!)}`.toLowerCase();
  };
}
