/** Reads text sitemaps: one address a line. */
import type { SitemapCollector } from "./collector.ts";
import type { SitemapReader } from "./xml.ts";

/** A line that does not end by then is no address; without a limit an endless one would be kept whole. */
const MAX_LINE = 64 * 1024;

/** After so many lines without one address it is some other text. */
const MAX_FOREIGN_LINES = 1000;

export function createTextReader(collector: SitemapCollector): SitemapReader<"text"> {
  let rest = "";
  let foreign = 0;
  let found = false;

  function takeLine(line: string): void {
    const address = line.trim();
    if (address === "") return;
    if (/^https?:\/\//i.test(address)) {
      found = true;
      collector.addUrl(address, "");
    } else foreign++;
  }

  return {
    write(piece) {
      const lines = (rest + piece).split(/\r\n|\r|\n/);
      rest = lines.pop()!;
      for (const line of lines) takeLine(line);
      if (rest.length > MAX_LINE) {
        takeLine(rest.slice(0, MAX_LINE));
        rest = "";
      }
    },
    end() {
      takeLine(rest);
      if (foreign === 0) return;
      collector.addProblem(found ? `${foreign} lines are not addresses` : "not a sitemap: neither XML nor addresses");
    },
    get done() {
      return !found && foreign > MAX_FOREIGN_LINES;
    },
    get kind() {
      return found ? ("text" as const) : null;
    },
  };
}
