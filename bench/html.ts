/** How fast pages are read: our scanner and extractor compared with htmlparser2 and parse5, on Debian's documentation. */

import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Parser } from "htmlparser2";
import { parse } from "parse5";
import { extractPage } from "../src/site/page/extract-page.ts";
import { decodeHtml } from "../src/web/charset.ts";
import { scanHtml } from "../src/web/html/index.ts";

const CORPUS = ["/usr/share/doc/python3.11/html", "/usr/share/doc/postgresql-doc-15/html"];
/** Only every n-th page is used, so that the slowest contender finishes soon. */
const EVERY = 6;
/** Generated indexes of up to 2 MB would be a third of the corpus. */
const LARGEST_BYTES = 150_000;
const SECONDS_EACH = Number(process.argv[2] ?? 3);

const bodies = CORPUS.filter((folder) => existsSync(folder)).flatMap((folder) =>
  globSync("**/*.html", { cwd: folder })
    .sort()
    .filter((_file, index) => index % EVERY === 0)
    .map((file) => readFileSync(join(folder, file)))
    .filter((body) => body.length <= LARGEST_BYTES),
);
if (bodies.length === 0) {
  console.error("No corpus: apt-get install python3.11-doc postgresql-doc-15");
  process.exit(1);
}
const pages = bodies.map((body) => decodeHtml(body, null).utf8);
const texts = pages.map((page) => page.toString());
const megabytes = bodies.reduce((sum, body) => sum + body.length, 0) / 1e6;
const links = pages.reduce((sum, page) => sum + extractPage(page).links.length, 0);

const noVisitor = { open() {}, close() {}, text() {} };
// The extractor first: as in a crawl, the engine has then run with one visitor only.
const contenders: Record<string, () => void> = {
  extractPage: () => {
    for (const page of pages) extractPage(page);
  },
  "decodeHtml + extractPage": () => {
    for (const body of bodies) extractPage(decodeHtml(body, null).utf8);
  },
  "scanHtml, visitor that does nothing": () => {
    for (const page of pages) scanHtml(page, noVisitor);
  },
  "htmlparser2, handler that does nothing": () => {
    for (const page of texts) {
      const parser = new Parser({ onopentag() {}, onclosetag() {}, ontext() {} });
      parser.write(page);
      parser.end();
    }
  },
  "parse5 parse": () => {
    for (const page of texts) parse(page);
  },
};

console.log(
  `${pages.length} pages, ${((megabytes / pages.length) * 1000).toFixed(1)} KB and ${Math.round(links / pages.length)} links each\n`,
);

/** Seconds of CPU for one pass: the best of many, because other load can only add to it. */
function bestPass(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  const end = performance.now() + SECONDS_EACH * 1000;
  do {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1e6);
  } while (performance.now() < end);
  return best;
}

const results = Object.entries(contenders).map(([name, run]) => ({ name, seconds: bestPass(run) }));
const extract = results.find(({ name }) => name === "extractPage")!.seconds;
for (const { name, seconds } of results) {
  const rate = `${Math.round(pages.length / seconds).toLocaleString("en")} pages/s`.padStart(16);
  const throughput = `${(megabytes / seconds).toFixed(0)} MB/s`.padStart(10);
  console.log(`${name.padEnd(40)}${rate}${throughput}   ${(seconds / extract).toFixed(2)} × the time of extractPage`);
}
