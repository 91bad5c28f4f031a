/** A program in TypeScript that uses both entry points of the package: only compiled, by package.test.ts. */
import { crawl, openCrawl, type Page, type SiteOptions, savedSettings, TrawlError } from "trawl";
import { AtprotoCrawl, openArchive } from "trawl/atproto";

const settings: SiteOptions = await savedSettings("https://example.com");
const onPage = (page: Page) => console.log(page.foundOn satisfies string | null);
const run = crawl(["https://example.com"], { ...settings, maxUrls: 3, onPage });
await run.add("https://example.com/b");
console.log(run.progress.open satisfies number);
(await run.summary).state satisfies "completed" | "limit_reached" | "stopped" | "paused" | "blocked" | "failed";

await using opened = await openCrawl("last");
for await (const row of opened.urls({ filter: ["status>=400"] }))
  row["url"] satisfies string | number | boolean | null | undefined;
for await (const { source, state } of opened.links({ state: "dead" })) console.log(source, state);
for await (const { severity, open } of opened.issues())
  console.log(severity satisfies "error" | "warning" | "notice", open);

// @ts-expect-error: a setting that does not exist
crawl("https://example.com", { maxUrl: 3 });
// @ts-expect-error: a setting of another type
crawl("https://example.com", { maxUrls: "3" });
console.log(TrawlError, AtprotoCrawl, openArchive);
