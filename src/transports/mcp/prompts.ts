/** Prompts: questions that a user can pick from a menu, written so that an agent answers them well. */
import type { McpServer } from "@modelcontextprotocol/server";
import { z } from "zod";

const asked = (text: string) => ({
  messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
});

/** An argument on one line: it becomes part of a sentence. */
const line = z
  .string()
  .min(1)
  .max(2_000)
  .transform((text) => text.replace(/\s+/g, " "));

export function registerPrompts(server: McpServer): void {
  server.registerPrompt(
    "audit_site",
    {
      title: "Audit a website",
      description: "Crawl a website, or use its latest crawl, and report what is wrong with it.",
      argsSchema: z.object({ url: line.meta({ description: "The website, such as https://example.com." }) }),
    },
    ({ url }) =>
      asked(`Audit the website ${url} with Trawl.
1. list_projects: if it was crawled within the last day, use that crawl. Otherwise start_crawl with maxUrls 1000, and crawl_status with wait_seconds 60 until it has ended.
2. overview, then for each problem the pages it concerns: broken pages (query_urls outcome=broken) and who links to them (links, direction in), pages without title or description, duplicate titles (sql), redirects in chains, pages that are not indexable, slow pages.
3. decisions: is anything missing that should have been crawled?
Report the problems by how much they matter, each with its count, two or three example URLs and what to do. Say which crawl the numbers come from, and whether a limit cut it short.`),
  );
  server.registerPrompt(
    "explain_changes",
    {
      title: "Explain what changed",
      description: "Compare the two latest crawls of a website and say what changed and whether it matters.",
      argsSchema: z.object({ site: line.meta({ description: "Domain of the website." }) }),
    },
    ({ site }) =>
      asked(`What changed on ${site} between its two latest crawls in Trawl?
1. list_projects and list_crawls give the two latest completed crawls. With only one, say so and offer to start another with since:"last".
2. compare them; look at removed and added first, then at changed by field (status, title, canonical, indexable before wordCount).
3. Look at a few examples with url_detail.
Report what changed in groups rather than URL by URL, what looks intended, and what looks like an accident (pages gone, redirected, or no longer indexable). Two crawls with different settings differ for that reason: check with decisions before you blame the site.`),
  );
  server.registerPrompt(
    "why_missing",
    {
      title: "Why is this page missing?",
      description: "Find out why a page is not in a crawl, and what would include it.",
      argsSchema: z.object({ url: line.meta({ description: "The page that is missing." }) }),
    },
    ({ url }) =>
      asked(`Why is ${url} not among the crawled pages in Trawl?
1. list_projects gives the latest crawl of its website. why with that crawl and the URL gives verdict, reason, rule and setting.
2. If the crawl never found it: query_urls with search for near spellings, then test_rules with the website's start URL, ask_robots true, to see whether the rules allow it. If they do, no crawled page links to it.
3. If a setting excludes it, say which value would include it, and check with test_rules.
Answer in a few sentences: the cause, the evidence, and the smallest change that would include the page. Do not change settings unless you are asked to.`),
  );
}
