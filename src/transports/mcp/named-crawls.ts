/** Arguments that name a crawl: an agent gives its number, its site or `last`, and the tool gets the number. */
import { z } from "zod";
import type { App } from "../../app/app.ts";
import { crawlId, newestCrawlId } from "../../app/crawls/named-crawl.ts";
import { id } from "../../app/operations/operation.ts";

const CRAWL_ARGUMENTS = ["crawl_id", "other", "again"] as const;
type CrawlArgument = (typeof CRAWL_ARGUMENTS)[number];

export const namedCrawl = z.union([id.meta({ description: undefined }), z.string().min(1).max(2_000)], {
  error: "expected the number of a crawl, its site, or last",
});

/** What a tool gets: numbers where a name was allowed. */
export type Numbered<Given> = {
  [Name in keyof Given]: Name extends CrawlArgument ? Exclude<Given[Name], string> : Given[Name];
};

/** Which crawl `last` or a site means: the newest with results, or the newest regardless of how it ended. */
export type Meant = "newest to read" | "newest";

/**
 * The arguments with numbers instead of names, and notes with the numbers: the same name may mean another crawl when
 * the agent continues with a cursor.
 */
export function withNumbers<Given extends Record<string, unknown>>(
  app: App,
  given: Given,
  meant: Meant,
): { numbered: Numbered<Given>; notes: string[] } {
  const find = meant === "newest" ? newestCrawlId : crawlId;
  const names = CRAWL_ARGUMENTS.filter((name) => typeof given[name] === "string");
  const found = names.map((name) => [name, find(app, given[name] as string)] as const);
  return {
    numbered: { ...given, ...Object.fromEntries(found) } as Numbered<Given>,
    notes: found
      .filter(([name, number]) => given[name] !== String(number))
      .map(([name, number]) => `${name} is ${number}; to continue with a cursor, give this number.`),
  };
}
