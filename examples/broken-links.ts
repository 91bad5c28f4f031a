/** Lists broken links, with the pages they are on. */
import { crawl } from "trawl";

const linkedFrom = new Map<string, string[]>();
const broken = new Map<string, string>();

await crawl(process.argv[2] ?? "https://example.com", {
  maxUrls: 500,
  checkExternalLinks: true,
  onPage(page) {
    if (page.status >= 400) broken.set(page.url, String(page.status));
    for (const link of page.links) {
      const pages = linkedFrom.get(link.url) ?? [];
      linkedFrom.set(link.url, [...pages, page.url]);
    }
  },
  onResource({ url, status, error }) {
    if (status === null || status >= 400) broken.set(url, error ?? String(status));
  },
  onComplete: (summary) => console.log(`${summary.crawled} URLs fetched, ${broken.size} broken`),
}).summary;

for (const [url, why] of broken) {
  console.log(`\n${why}  ${url}`);
  for (const page of new Set(linkedFrom.get(url))) console.log(`  on ${page}`);
}
