/** Errors as agents meet them: the code, what was wrong, what to do next, and what there is to choose from. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { App } from "../../app/app.ts";
import { ERRORS, type ErrorCode, TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { foreignLines, startWithin } from "./model-text.ts";

/** What to do, in terms of tools; the hints of the error table speak of the command line. */
export const AGENT_HINTS: Partial<Record<ErrorCode, string>> = {
  BAD_USAGE:
    "Fix the arguments named above and call again. `reference` lists fields, tables, settings and reasons with their exact names.",
  BAD_CONFIG: "Fix the settings listed above; `reference` with topic settings lists every setting with its default.",
  CRAWL_NOT_FOUND:
    "`list_projects` gives the latest crawl of every project, `list_crawls` all crawls of one, `start_crawl` makes one.",
  PROJECT_NOT_FOUND: "`list_projects` lists them.",
  CRAWL_BUSY:
    "`crawl_status` without crawl_id lists running crawls; one of another process can be read and stopped, but not paused or resumed.",
  PROJECT_BUSY: "`crawl_status` tells how it goes; wait for its end, or stop it with `stop_crawl`.",
  URL_NOT_IN_CRAWL:
    "`query_urls` with search finds the URLs that it did meet; `test_rules` tells what would become of a URL that it did not.",
  BAD_SQL: "Give one SELECT; `reference` with topic tables lists the tables and columns.",
  PAGE_NOT_STORED: "Call page_text with fetch:true to fetch the page now.",
  PAGE_NOT_FETCHED: "`url_detail` tells what the crawl knows of this page.",
  ROBOTS_DISALLOWED: "Ask the person whether they may read it themselves; `why` names the line of robots.txt.",
  START_UNREACHABLE: "Check the address with the person who asked.",
  START_SKIPPED: "`why` names the setting that kept it out; start somewhere else, or change it with `set_config`.",
};

/** Errors are short; a message that quotes a page or a query may not be. */
const MAX_BYTES = 4_000;
/** Crawls named where one was not found. */
const MAX_NAMED = 10;

export async function errorResult(error: unknown, app: App): Promise<CallToolResult> {
  const { code, message, hint } = described(error);
  const lines = [`error ${code}: ${startWithin(foreignLines(message), MAX_BYTES)}`, `What to do: ${hint}`];
  if (code === "CRAWL_NOT_FOUND") lines.push(await crawlsThereAre(app));
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

function described(thrown: unknown): { code: ErrorCode; message: string; hint: string } {
  const error = storeError(thrown, "A database of the data folder");
  if (error instanceof TrawlError) {
    return { code: error.code, message: error.message, hint: AGENT_HINTS[error.code] ?? error.hint };
  }
  const [line] = String(error instanceof Error ? error.message : error).split("\n");
  return { code: "INTERNAL", message: `${ERRORS.INTERNAL.message} ${line}`, hint: ERRORS.INTERNAL.hint };
}

async function crawlsThereAre(app: App): Promise<string> {
  const projects = await app.projects.list();
  const named = projects
    .filter((project) => project.latestCrawlId !== null)
    .slice(0, MAX_NAMED)
    .map((project) => `${project.latestCrawlId} (${project.domain})`);
  return named.length === 0 ? "There is no crawl yet." : `Latest crawls: ${named.join(", ")}.`;
}
