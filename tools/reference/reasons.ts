/** docs/reference/reasons.md: why a URL was not crawled, from the reason table. */
import { REASONS } from "../../src/site/site-reasons.ts";
import { code, generatedNote, markdownTable } from "../markdown.ts";

export function reasonsPage(): string {
  const rows = Object.entries(REASONS).map(([name, { meaning, setting, provisional }]) => [
    code(name),
    meaning,
    setting === null ? "" : `[${code(setting)}](configuration.md)`,
    provisional ? "yes" : "no",
  ]);
  return [
    generatedNote("`src/site/site-reasons.ts`"),
    HEAD,
    markdownTable(["Reason", "Meaning", "Setting", "May still change"], rows),
    "",
  ].join("\n\n");
}

const HEAD = `# Reasons

Every URL that a crawl meets has one verdict: \`crawl\`, \`record\` (kept in the link graph, never fetched) or \`skip\`. A URL
that is not simply crawled carries one of these reasons, and the rule that decided. \`trawl why <id> <url>\` tells both.

A reason that may still change holds as long as no other find of the same URL overcomes it: a URL met first through a
nofollow link is crawled when a plain link to it turns up. Every other reason stands for the whole crawl.`;
