/** The analysis that ends a crawl: time and memory for 400,000 pages with 16 million links. */
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { writeCrawl } from "./audit-crawl.ts";
import { measure } from "./measure.ts";
import { circumstances, writeSection } from "./results.ts";

/** The targets. */
const MOST_SECONDS = 60;
const MOST_BYTES = 300 * 1_000_000;

const { values } = parseArgs({
  options: {
    pages: { type: "string", default: "400000" },
    links: { type: "string", default: "16000000" },
    /** Keeps the crawl's database there, for the next run. */
    database: { type: "string" },
  },
});
const size = { pages: Number(values.pages), links: Number(values.links) };
const folder = mkdtempSync(join(tmpdir(), "trawl-audit-"));
try {
  const database = join(folder, "crawl.db");
  if (values.database === undefined) writeCrawl(database, size);
  else copyFileSync(values.database, database);
  const { wallSeconds, processorSeconds, peakBytes } = await measure({
    file: process.execPath,
    arguments: [join(import.meta.dirname, "audit-once.ts"), database],
  });
  const db = new DatabaseSync(database, { readOnly: true });
  const count = (table: string): string =>
    Number(db.prepare(`SELECT count(*) AS n FROM ${table}`).get()!["n"]).toLocaleString("en");
  const verdict = (met: boolean) => (met ? "met" : "**not met**");
  const report = [
    `## Audit: ${count("pages")} pages, ${count("links")} links`,
    "",
    `${circumstances(new Date())}. Link counts, link scores, redirect chains, near duplicates and all rules; ${count("findings")} findings. ` +
      `${processorSeconds.toFixed(1)} s of processor time.`,
    "",
    `- ${verdict(wallSeconds < MOST_SECONDS)}: ${wallSeconds.toFixed(1)} s (target: ${MOST_SECONDS} s)`,
    `- ${verdict(peakBytes < MOST_BYTES)}: at most ${(peakBytes / 1e6).toFixed(0)} MB resident (target: ${MOST_BYTES / 1e6} MB)`,
  ].join("\n");
  db.close();
  console.log(report);
  if (size.pages === 400_000 && size.links === 16_000_000) writeSection("audit", report);
  if (!(wallSeconds < MOST_SECONDS && peakBytes < MOST_BYTES)) process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
