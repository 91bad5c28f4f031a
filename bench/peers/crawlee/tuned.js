// Crawlee's CheerioCrawler on one host: node tuned.js <start URL> <pages> <parallelism> <output file>
// It is stopped by hand at the page limit: with maxRequestsPerCrawl set, Crawlee 3.18 adds requests in ever smaller batches near the
// cap and waits a second after each, which made 600 pages take a minute longer.
// Results go to a file as they come, because Crawlee's own dataset would keep them in memory or write one file per page.
import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { CheerioCrawler, Configuration, log } from "@crawlee/cheerio";

const [start, pages, parallelism, file] = process.argv.slice(2);
const host = new URL(start).host;
const output = createWriteStream(file);
let count = 0;
let linkCount = 0;

log.setLevel(log.LEVELS.WARNING);

const crawler = new CheerioCrawler(
  {
    minConcurrency: Number(parallelism),
    maxConcurrency: Number(parallelism),
    respectRobotsTxtFile: true,
    useSessionPool: false,
    persistCookiesPerSession: false,
    async requestHandler({ request, response, $, addRequests }) {
      const url = request.loadedUrl;
      const links = new Set();
      const wanted = new Set();
      for (const element of $("a[href]")) {
        const target = URL.parse(element.attribs.href, url);
        if (!target) continue;
        links.add(target.href);
        if (target.host !== host) continue;
        target.hash = "";
        wanted.add(target.href);
      }
      const row = { url, status: response.statusCode, title: $("title").first().text(), links: [...links] };
      count++;
      linkCount += links.size;
      if (!output.write(`${JSON.stringify(row)}\n`)) await once(output, "drain");
      if (count >= Number(pages)) crawler.stop();
      else await addRequests([...wanted]);
    },
  },
  new Configuration({ persistStorage: false, purgeOnStart: false }),
);

const began = performance.now();
await crawler.run([start]);
const seconds = (performance.now() - began) / 1000;
output.end();
await once(output, "finish");
console.log(JSON.stringify({ pages: count, seconds, links: linkCount }));
