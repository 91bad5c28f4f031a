// Crawlee's CheerioCrawler as documented: node documented.js <start URL> <pages> <parallelism>
// It is stopped by hand at the page limit; tuned.js says why.
// Links by `enqueueLinks`, rows by `pushData`, queue and dataset on disk by default, so that a crawl can be resumed.
import { CheerioCrawler, log } from "@crawlee/cheerio";

const [start, pages, parallelism] = process.argv.slice(2);
let count = 0;
let linkCount = 0;

log.setLevel(log.LEVELS.WARNING);

const crawler = new CheerioCrawler({
  maxConcurrency: Number(parallelism),
  respectRobotsTxtFile: true,
  async requestHandler({ request, response, $, enqueueLinks, pushData }) {
    const url = request.loadedUrl;
    const links = new Set();
    for (const element of $("a[href]")) {
      const target = URL.parse(element.attribs.href, url);
      if (target) links.add(target.href);
    }
    count++;
    linkCount += links.size;
    await pushData({ url, status: response.statusCode, title: $("title").first().text(), links: [...links] });
    if (count >= Number(pages)) crawler.stop();
    else await enqueueLinks();
  },
});

const began = performance.now();
await crawler.run([start]);
console.log(JSON.stringify({ pages: count, seconds: (performance.now() - began) / 1000, links: linkCount }));
