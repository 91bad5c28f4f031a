/** Tools that find the crawl an agent needs, and summarize it. */
import type { App } from "../../../app/app.ts";
import * as operations from "../../../app/operations/crawls.ts";
import { getOverview } from "../../../app/operations/crawls.ts";
import type { CrawlInfo } from "../../../app/operations/shapes.ts";
import { counted } from "../../texts.ts";
import type { Answer, Table } from "../answer.ts";
import { type Tool, tool } from "../tool.ts";
import { crawlId, projectId } from "./shared-arguments.ts";

const listProjects = tool({
  name: "list_projects",
  title: "Crawled websites",
  description:
    "Every website that was crawled on this machine, latest first, with the number of its latest crawl. Begin here to see whether there is already a crawl. Example: {}.",
  kind: "read",
  arguments: {},
  run: ({ app }) => projectList(app),
});

export async function projectList(app: App): Promise<Answer> {
  const { rows: projects } = await operations.listProjects.run(app, {});
  return {
    counts: `${counted(projects.length, "project")}.`,
    notes: projects.length === 0 ? ["Nothing has been crawled yet. Use start_crawl."] : [],
    tables: [
      {
        title: "projects",
        columns: ["project_id", "domain", "url", "crawls", "latest_crawl_id", "latestState", "pages", "startedAt"],
        rows: projects.map((project) => [
          project.id,
          project.domain,
          project.url,
          project.crawls,
          project.latestCrawlId,
          project.latestState,
          project.pages,
          project.startedAt,
        ]),
      },
    ],
  };
}

const listCrawls = tool({
  name: "list_crawls",
  title: "Crawls of a website",
  description:
    'All crawls of one project, newest first: to choose two for compare, or to find one to resume. Example: {"project_id":1}.',
  kind: "read",
  arguments: { project_id: projectId },
  async run({ app }, { project_id }) {
    const { rows: crawls } = await operations.listProjectCrawls.run(app, { id: project_id });
    return {
      counts: `${counted(crawls.length, "crawl")} of project ${project_id}.`,
      tables: [
        {
          title: "crawls",
          columns: [
            "crawl_id",
            "url",
            "mode",
            "state",
            "pages",
            "crawled",
            "discovered",
            "startedAt",
            "durationMs",
            "message",
          ],
          rows: crawls.map(crawlRow),
        },
      ],
    };
  },
});

const crawlRow = (crawl: CrawlInfo): Table["rows"][number] => [
  crawl.id,
  crawl.url,
  crawl.mode,
  crawl.state,
  crawl.pages,
  crawl.crawled,
  crawl.discovered,
  crawl.startedAt,
  crawl.durationMs,
  crawl.message,
];

const overview = tool({
  name: "overview",
  title: "Overview of a crawl",
  description:
    "A summary of a crawl: how many URLs were crawled, skipped and failed, statuses, broken and slow pages, indexability, depth, hosts, duplicates, traps. " +
    'Go deeper with query_urls, decisions and sql. Example: {"crawl_id":3}.',
  kind: "read",
  arguments: { crawl_id: crawlId },
  run: ({ app }, { crawl_id }) => crawlOverview(app, crawl_id),
});

export async function crawlOverview(app: App, id: number): Promise<Answer> {
  const found = await getOverview.run(app, { id });
  const counts = (
    title: string,
    rows: readonly { value: string | number | boolean | null; count: number }[],
  ): Table => ({
    title,
    columns: ["value", "urls"],
    rows: rows.map((row) => [row.value, row.count]),
  });
  return {
    counts:
      `Crawl ${id} is ${found.crawlInfo.state}: ${found.discovered} URLs discovered, ${found.crawled} crawled (${found.pages} HTML pages, ` +
      `${found.broken} broken), ${found.recorded} recorded only, ${found.skipped} skipped, ${found.errors} errors, ${found.open} open. ` +
      `${found.links} links, ${found.bytes} bytes. ${found.duplicates.pages} pages are duplicates, in ${found.duplicates.groups} groups.`,
    notes:
      found.previousId === null
        ? []
        : [`Next: compare {"crawl_id":${id},"other":${found.previousId}} shows what changed.`],
    tables: [
      counts("HTTP status", found.statuses),
      counts("errors", found.errorCodes),
      {
        title: "broken",
        total: found.broken,
        columns: ["url", "status", "error", "foundOn"],
        rows: found.brokenUrls.map((page) => [page.url, page.status, page.error, page.foundOn]),
      },
      counts("not crawled, by reason", found.reasons),
      counts("pages, by whether they are indexable", found.indexable),
      counts("why pages are not indexable", found.indexability),
      {
        title: "crawled documents, by depth",
        columns: ["depth", "urls", "2xx", "3xx", "4xx", "5xx", "failed"],
        rows: foldedDepths(
          found.depths.map((at) => [
            at.depth,
            at.total,
            at.ok,
            at.redirect,
            at.clientError,
            at.serverError,
            at.noAnswer,
          ]),
        ),
      },
      {
        title: "slowest",
        columns: ["url", "timeServer"],
        rows: found.slowest.map((page) => [page.url, page.timeServer]),
      },
      {
        title: "response times",
        columns: ["fromMs", "toMs", "urls"],
        rows: found.responseTimes.map((range) => [range.fromMs, range.toMs, range.count]),
      },
      counts("content types", found.contentTypes),
      {
        title: "traps: endless parts of the site that were stopped, and URL patterns that reached their limit",
        columns: ["rule", "urls", "example"],
        rows: found.traps.map(({ value, count, example }) => [value, count, example]),
      },
      {
        title: "hosts",
        columns: ["host", "urls", "crawled", "broken", "errors", "bytes"],
        rows: found.hosts.map((host) => [host.host, host.urls, host.crawled, host.broken, host.errors, host.bytes]),
      },
    ],
  };
}

/** A calendar is hundreds of links deep: beyond this depth, one row sums up the rest. */
const DEPTHS = 10;

export function foldedDepths(depths: readonly number[][]): Table["rows"] {
  const [near, far] = [depths.slice(0, DEPTHS), depths.slice(DEPTHS)];
  if (far.length < 2) return depths;
  const [depth, ...sums] = far.reduce((sum, row) => sum.map((value, at) => (at === 0 ? value : value + row[at]!)));
  return [...near, [`${depth} and more`, ...sums]];
}

export const PROJECT_TOOLS: readonly Tool[] = [listProjects, listCrawls, overview];
