/** Errors for agents: the code, what was wrong, what to do next, and the valid values. */
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { App } from "../../app/app.ts";
import { ERRORS, type ErrorCode, TrawlError } from "../../errors.ts";
import { storeError } from "../../kernel/sqlite/store-error.ts";
import { foreignLines, startWithin } from "./model-text.ts";

/** What to do, in terms of tools; the hints in the error table refer to the command line. */
export const AGENT_HINTS: Partial<Record<ErrorCode, string>> = {
  BAD_USAGE:
    "Fix the arguments named above and call again. `reference` lists fields, tables, settings and reasons with their exact names.",
  BAD_CONFIG: "Fix the settings listed above; `reference` with topic settings lists every setting with its default.",
  OWNER_ONLY:
    "Leave it out. If the task needs it, tell the user: they can save it for the site with `trawl config save <url>`, and your crawls then use it.",
  PRIVATE_START:
    "Do not try another spelling. If the user wants this address crawled, they can do it with `trawl crawl`, or start this server with `--allow-private`.",
  CRAWL_NOT_FOUND:
    "`list_projects` gives the latest crawl of every project, `list_crawls` all crawls of one; `start_crawl` starts a new one.",
  PROJECT_NOT_FOUND: "`list_projects` lists them.",
  CRAWL_BUSY:
    "`crawl_status` without crawl_id lists running crawls. If another process runs this one, it may need a moment: call again.",
  PROJECT_BUSY: "`crawl_status` shows its progress; wait until it ends, or stop it with `stop_crawl`.",
  URL_NOT_IN_CRAWL:
    "`query_urls` with search finds the URLs of the crawl; `test_rules` shows what would happen to a URL that it did not find.",
  BAD_SQL: "Give one SELECT; `reference` with topic tables lists the tables and columns.",
  PAGE_NOT_STORED:
    "Call page_text with fetch:true to fetch the page now; a crawl with the setting storeHtml stores it.",
  PAGE_NOT_FETCHED: "`url_detail` shows what the crawl knows about this page.",
  ROBOTS_DISALLOWED: "Ask the user whether they can read it themselves; `why` shows the line of robots.txt.",
  START_UNREACHABLE: "Check the address with the user.",
  START_SKIPPED:
    "`why` shows the setting that excludes it; use another start URL, or change the setting with `set_config`.",
};

/** Errors are short, but a message that quotes a page or a query may be long. */
const MAX_BYTES = 4_000;
/** How many crawls are listed when one was not found. */
const MAX_NAMED = 10;

export async function errorResult(error: unknown, app: App): Promise<CallToolResult> {
  const { code, message, hint } = described(error);
  const lines = [`error ${code}: ${startWithin(foreignLines(message), MAX_BYTES)}`, `What to do: ${hint}`];
  if (code === "CRAWL_NOT_FOUND") lines.push(await crawlsThereAre(app));
  return { isError: true, content: [{ type: "text", text: lines.join("\n") }] };
}

function described(thrown: unknown): { code: ErrorCode; message: string; hint: string } {
  const error = storeError(thrown, "A database in the data folder");
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
  return named.length === 0 ? "There are no crawls yet." : `Latest crawls: ${named.join(", ")}.`;
}
