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
    markdownTable(["Reason", "Meaning", "Setting", "Can change"], rows),
    "",
  ].join("\n\n");
}

const HEAD = `# Reasons

Every URL that a crawl finds gets one verdict: \`crawl\`, \`record\` (stored in the link graph, never fetched) or \`skip\`. A URL
that is not crawled, or is crawled against a rule, has one of these reasons, and the rule behind it. \`trawl why <id> <url>\`
shows both.

Some reasons can still change: a URL found first through a nofollow link is crawled when another page links to it without
nofollow. All other reasons are final for the crawl.`;
