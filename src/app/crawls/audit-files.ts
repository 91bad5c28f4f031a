/**
 * Files that the audit of a crawl reads besides the crawl's own: the database of the previous crawl, and the list of
 * accepted findings.
 */
import { existsSync } from "node:fs";
import type { PreviousCrawl } from "../../site/audit/since-last.ts";
import { parseConfig } from "../../site/site-config.ts";
import type { Home } from "../home.ts";
import { type CrawlRecord, FINISHED, type Registry } from "./registry.ts";

interface KnownCrawls {
  home: Home;
  registry: Registry;
}

/** The crawl that this one's findings are compared with: the last earlier crawl with the same start that finished. */
export function comparedWith({ home, registry }: KnownCrawls, id: number): PreviousCrawl | null {
  const { projectId, mode, startUrls } = registry.crawl(id);
  const isBefore = (record: CrawlRecord) =>
    record.id < id &&
    record.mode === mode &&
    record.startUrls[0] === startUrls[0] &&
    FINISHED.includes(record.state) &&
    existsSync(home.crawlDatabase(record.id));
  const previous = registry.crawlsOf(projectId).find(isBefore);
  return previous === undefined ? null : { id: previous.id, path: home.crawlDatabase(previous.id) };
}

/**
 * The project's accepted findings: in the file that its settings name, perhaps in a repository, or in our own folder.
 */
export function acceptedFile({ home, registry }: KnownCrawls, id: number): string {
  const { settings, domain } = registry.crawl(id);
  return parseConfig(settings).acceptedFindings ?? home.acceptedFindings(domain);
}
