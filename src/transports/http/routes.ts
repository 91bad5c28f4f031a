/**
 * Every operation that REST offers: method, path and operation. Names in braces come from the path; the rest comes from
 * the query of GET and DELETE, and from the JSON body of POST and PUT. Parsing, validation, answers, OpenAPI and the
 * documentation page follow from this table.
 */
import * as operations from "../../app/operations/index.ts";
import type { Operation } from "../../app/operations/operation.ts";
import { type BodyLimits, LIMITS } from "./limits.ts";

export type Method = "get" | "post" | "put" | "delete";

export interface Route {
  method: Method;
  /** Below `API_ROOT`. */
  path: string;
  group: string;
  operation: Operation;
  /** An example body, for the documentation. */
  example?: Record<string, unknown>;
  /** Lists that may be written as one value separated by commas: their values contain none. */
  commas?: readonly string[];
  /** What the body may contain, if more than `LIMITS.body`. */
  body?: BodyLimits;
}

export const API_ROOT = "/api/v1";

const {
  about,
  archives,
  atproto,
  compare,
  config,
  crawling,
  crawls,
  fleets,
  issues,
  links,
  schedules,
  sql,
  urls,
  views,
} = operations;

type Row = [method: Method, path: string, operation: unknown, more?: Pick<Route, "example" | "commas" | "body">];

const GROUPS: Record<string, Row[]> = {
  "About this server": [
    ["get", "/health", about.getHealth],
    ["get", "/version", about.getVersion],
    ["get", "/update", about.checkForUpdate],
    ["post", "/update", about.installUpdate],
  ],
  Projects: [
    ["get", "/projects", crawls.listProjects],
    ["get", "/projects/{id}/crawls", crawls.listProjectCrawls],
    ["get", "/projects/{id}/last-request", crawling.getLastRequest],
    ["delete", "/projects/{id}", crawls.deleteProject],
  ],
  Crawling: [
    [
      "post",
      "/crawl",
      crawling.startCrawl,
      {
        example: { url: "https://example.com", settings: { maxUrls: 500, exclude: ["*/tag/*"] } },
        body: LIMITS.listBody,
      },
    ],
    ["post", "/demo", crawling.startDemo],
    ["post", "/stop-crawl/{projectID}", crawling.stopProjectCrawl],
    ["get", "/active-crawls", crawling.listActiveCrawls],
    ["post", "/crawls/{id}/pause", crawling.pauseCrawl],
    ["post", "/crawls/{id}/resume", crawling.resumeCrawl],
    ["post", "/crawls/{id}/stop", crawling.stopCrawl],
    ["get", "/crawls/{id}/live", crawling.getLiveCrawl],
  ],
  Crawls: [
    ["get", "/crawls", crawls.listCrawls],
    ["get", "/crawls/{id}", crawls.getCrawl],
    ["delete", "/crawls/{id}", crawls.deleteCrawl],
    ["get", "/crawls/{id}/summary", crawls.describeCrawl],
    ["get", "/crawls/{id}/overview", crawls.getOverview],
    ["get", "/crawls/{id}/decisions", urls.listDecisions],
    ["get", "/crawls/{id}/compare/{other}", compare.compareCrawls],
  ],
  Audit: [
    ["get", "/crawls/{id}/issues", issues.listIssues],
    ["get", "/crawls/{id}/issues/{rule}", issues.listFindings],
    ["get", "/crawls/{id}/trend", issues.getIssueTrend],
    ["get", "/crawls/{id}/accepted", issues.listAcceptances],
    [
      "post",
      "/crawls/{id}/accepted",
      issues.acceptFindings,
      {
        example: {
          rule: "title.too_long",
          pattern: "/blog/*",
          reason: "old posts stay as they are",
          until: "2027-01-31",
        },
      },
    ],
    ["delete", "/crawls/{id}/accepted/{key}", issues.removeAcceptance],
    ["post", "/crawls/{id}/audit", issues.auditCrawl, { example: { thresholds: ["titleMaxChars=70"] } }],
  ],
  URLs: [
    ["get", "/fields", urls.listFields],
    ["get", "/crawls/{id}/urls", urls.listUrls, { commas: ["fields"] }],
    [
      "post",
      "/crawls/{id}/urls/count",
      urls.countUrls,
      { example: { views: [{ filter: ["status=4xx"] }, { filter: ["indexable=No"], search: "shop" }] } },
    ],
    [
      "post",
      "/crawls/{id}/exports",
      urls.saveExport,
      { example: { filter: ["outcome=broken"], fields: ["url", "status"] } },
    ],
    ["get", "/crawls/{id}/url", urls.getUrl],
    ["get", "/crawls/{id}/url/why", urls.whyUrl],
    ["get", "/crawls/{id}/url/history", urls.getUrlHistory],
    ["get", "/crawls/{id}/url/text", urls.getPageText],
    ["get", "/crawls/{id}/url/source", urls.getPageSource],
  ],
  Links: [
    ["get", "/crawls/{id}/pages/{url}/links", links.getPageLinks],
    ["get", "/crawls/{id}/url/links", links.listLinks],
    ["get", "/crawls/{id}/links", links.searchLinks],
    ["get", "/crawls/{id}/broken-links", links.listBrokenLinks],
    ["get", "/crawls/{id}/graph", links.getGraph],
    ["get", "/crawls/{id}/tree", links.getTree],
    ["get", "/crawls/{id}/structure", links.getStructure],
  ],
  SQL: [
    [
      "post",
      "/crawls/{id}/sql",
      sql.querySql,
      { example: { sql: "SELECT status, count(*) FROM pages GROUP BY status", limit: 50 } },
    ],
    ["get", "/sql/tables", sql.listTables],
  ],
  Settings: [
    ["get", "/config", config.getConfig],
    [
      "put",
      "/config",
      config.updateConfig,
      { example: { url: "example.com", parallelism: 3, settings: { maxDepth: 5 } } },
    ],
    ["get", "/settings", config.listSettings],
    ["post", "/settings/validate", config.validateSettings, { example: { settings: { parallelism: 0 } } }],
    [
      "post",
      "/rules/test",
      config.testRules,
      { example: { start: "https://example.com", urls: ["https://example.com/private/"] } },
    ],
    [
      "post",
      "/robots/test",
      config.testRobots,
      { example: { urls: ["https://example.com/private/"], text: "User-agent: *\nDisallow: /private/" } },
    ],
  ],
  "Saved views": [
    ["get", "/views", views.listViews],
    [
      "put",
      "/views",
      views.saveView,
      {
        example: {
          name: "Broken pages",
          fields: ["url", "status"],
          filter: ["status>=400"],
          search: null,
          sort: "-status",
        },
      },
    ],
    ["delete", "/views/{id}", views.deleteView],
  ],
  Fleets: [
    ["get", "/fleets", fleets.listFleets],
    ["get", "/fleets/{name}", fleets.getFleet],
    ["post", "/fleets/{name}/pause", fleets.pauseFleet],
    ["post", "/fleets/{name}/resume", fleets.resumeFleet],
    ["post", "/fleets/{name}/stop", fleets.stopFleet],
    ["post", "/fleets/{name}/pull", fleets.pullFleet],
  ],
  Archives: [
    ["get", "/archives", archives.listArchives],
    ["get", "/archives/{id}", archives.getArchive],
    ["delete", "/archives/{id}", archives.forgetArchive],
    ["post", "/archives/{id}/start", archives.startArchive, { example: { retryFailed: true, status: ["5xx"] } }],
    ["post", "/archives/{id}/pause", archives.pauseArchive],
    ["post", "/archives/{id}/unpause", archives.unpauseArchive],
    ["post", "/archives/{id}/stop", archives.stopArchive],
    ["get", "/archives/{id}/pages", archives.listArchivePages, { commas: ["status", "type"] }],
    ["get", "/archives/{id}/failures", archives.listArchiveFailures, { commas: ["status", "type"] }],
    ["get", "/archives/{id}/page", archives.getArchivedPage],
    ["get", "/archives/{id}/search", archives.searchArchive],
    ["get", "/archives/{id}/verify", archives.verifyArchive],
  ],
  "AT Protocol": [
    ["get", "/atproto", atproto.listRepoArchives],
    ["get", "/atproto/{id}", atproto.getRepoArchive],
    ["delete", "/atproto/{id}", atproto.forgetRepoArchive],
    ["get", "/atproto/{id}/hosts", atproto.listRepoHosts],
    ["get", "/atproto/{id}/failures", atproto.listRepoFailures],
    ["post", "/atproto/{id}/failures/retry", atproto.retryRepoFailures, { example: { class: "timeout" } }],
    ["get", "/atproto/{id}/repos", atproto.listRepos],
    ["get", "/atproto/{id}/repo", atproto.getRepo],
    ["get", "/atproto/{id}/records", atproto.listRecords],
    ["get", "/atproto/{id}/record", atproto.getRecord],
    ["get", "/atproto/{id}/events", atproto.listRepoEvents],
    ["get", "/atproto/{id}/verify", atproto.verifyRepoArchive],
  ],
  Schedules: [
    ["get", "/schedules", schedules.listSchedules],
    ["put", "/projects/{projectId}/schedule", schedules.setSchedule, { example: { cron: "0 6 * * 1" } }],
    ["delete", "/projects/{projectId}/schedule", schedules.deleteSchedule],
    ["post", "/projects/{projectId}/schedule/run", schedules.runSchedule],
    ["get", "/cron/preview", schedules.previewCron],
  ],
};

export const ROUTES: readonly Route[] = Object.entries(GROUPS).flatMap(([group, rows]) =>
  // The rows differ in their input types; after validation, all are called the same way.
  rows.map(([method, path, operation, more]) => ({ method, path, group, operation: operation as Operation, ...more })),
);

export const pathNames = (path: string): string[] => [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);

/** `/crawls/{id}` as the router writes it. */
export const routerPath = (path: string): string => path.replace(/\{(\w+)\}/g, ":$1");

export const hasBody = (method: Method): boolean => method === "post" || method === "put";
