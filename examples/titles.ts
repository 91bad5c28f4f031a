/** Prints the status, URL and title of every page, then a summary. */
import { crawl } from "trawl";

const run = crawl(process.argv[2] ?? "https://example.com", {
  maxUrls: 200,
  onUrl: (url) => (url.includes("/gtag/js") ? "skip" : "crawl"), // called once per URL
});

for await (const page of run) console.log(page.status, page.url, page.title);
console.log(await run.summary);
