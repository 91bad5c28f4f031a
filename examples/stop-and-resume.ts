/** Stops a crawl after twenty pages, then resumes it from the same file: no page is fetched twice. */
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crawl } from "trawl";

const url = process.argv[2] ?? "https://example.com";
const database = join(tmpdir(), "trawl-example.db");
for (const ending of ["", "-wal", "-shm"]) rmSync(database + ending, { force: true });

let pages = 0;
const first = crawl(url, { database, maxUrls: 100 });
for await (const page of first) {
  console.log(page.status, page.url);
  if (++pages === 20) break; // leaving the loop stops the crawl
}
console.log("stopped:", await first.summary);

const second = crawl(url, { database, maxUrls: 100 });
for await (const page of second) console.log(page.status, page.url);
console.log("completed:", await second.summary);
