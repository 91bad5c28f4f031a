/**
 * Every query of the server, as options for `useQuery`: `useQuery(queries.overview(id))`.
 *
 * Keys begin with what they are about (`crawl`, id), so that one event refreshes everything it affects.
 */
import { infiniteQueryOptions, keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, type Query } from "./api.ts";
import type * as contract from "./contract.ts";

/** Facts about Trawl itself do not change while it runs. */
const STEADY = { staleTime: Number.POSITIVE_INFINITY };

const ask = <T>(key: readonly unknown[], path: string, query: Query = {}) =>
  queryOptions({ queryKey: [...key, query], queryFn: ({ signal }) => api.get<T>(path, query, signal) });

/** The rows of a list that is answered whole. */
const askRows = <T>(key: readonly unknown[], path: string, query: Query = {}) =>
  queryOptions({
    queryKey: [...key, query],
    queryFn: async ({ signal }) => (await api.get<{ rows: T[] }>(path, query, signal)).rows,
  });

/** An answer that comes in pages: all pages fetched so far. */
const askParts = <T extends { next: string | null }>(key: readonly unknown[], path: string, query: Query = {}) =>
  infiniteQueryOptions({
    queryKey: [...key, "parts", query],
    queryFn: ({ pageParam, signal }) => api.get<T>(path, { ...query, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next,
  });

export const keys = {
  active: ["active"] as const,
  projects: ["projects"] as const,
  project: (id: number) => ["project", id] as const,
  crawl: (id: number) => ["crawl", id] as const,
  live: (id: number) => ["crawl", id, "live"] as const,
  config: ["config"] as const,
  views: ["views"] as const,
  schedules: ["schedules"] as const,
};

export const queries = {
  version: () => ({ ...ask<contract.Version>(["version"], "/version"), ...STEADY }),
  update: () => ({ ...ask<contract.UpdateCheck>(["update"], "/update"), ...STEADY }),
  settings: () => ({ ...askRows<contract.Setting>(["settings"], "/settings"), ...STEADY }),
  fields: () => ({ ...askRows<contract.Field>(["fields"], "/fields"), ...STEADY }),
  tables: () => ({ ...askRows<contract.SqlTable>(["tables"], "/sql/tables"), ...STEADY }),

  projects: () => askRows<contract.Project>(keys.projects, "/projects"),
  projectCrawls: (id: number) => askRows<contract.CrawlInfo>([...keys.project(id), "crawls"], `/projects/${id}/crawls`),
  activeCrawls: () => askRows<contract.CrawlProgress>(keys.active, "/active-crawls"),
  config: (url: string) => ask<contract.Config>(keys.config, "/config", { url }),
  views: () => askRows<contract.SavedView>(keys.views, "/views"),
  schedules: () => askRows<contract.Schedule>(keys.schedules, "/schedules"),
  cronPreview: (cron: string, timezone: string | null) => ({
    ...ask<contract.CronPreview>(["cron"], "/cron/preview", { cron, timezone }),
    placeholderData: keepPreviousData,
  }),

  /** The crawl itself; its results have their own queries. */
  crawl: (id: number) =>
    queryOptions({
      ...ask<contract.CrawlResults>([...keys.crawl(id), "info"], `/crawls/${id}`, { limit: 1 }),
      select: (answer: contract.CrawlResults) => answer.crawlInfo,
    }),
  summary: (id: number) =>
    ask<contract.DescribedCrawl>([...keys.crawl(id), "summary"], `/crawls/${id}/summary`, { listed: 0 }),
  live: (id: number) => ask<contract.LiveCrawl>(keys.live(id), `/crawls/${id}/live`),
  overview: (id: number) => ask<contract.Overview>([...keys.crawl(id), "overview"], `/crawls/${id}/overview`),
  urls: (id: number, query: contract.UrlsQuery) => ({
    ...ask<contract.UrlsPage>([...keys.crawl(id), "urls"], `/crawls/${id}/urls`, query),
    placeholderData: keepPreviousData,
  }),
  counts: (id: number, views: contract.UrlViews) =>
    queryOptions({
      queryKey: [...keys.crawl(id), "counts", views],
      queryFn: () => api.post<contract.UrlCounts>(`/crawls/${id}/urls/count`, { views }),
      placeholderData: keepPreviousData,
    }),
  url: (id: number, url: string) => ask<contract.UrlDetail>([...keys.crawl(id), "url"], `/crawls/${id}/url`, { url }),
  why: (id: number, url: string) => ask<contract.UrlWhy>([...keys.crawl(id), "why"], `/crawls/${id}/url/why`, { url }),
  history: (id: number, url: string) =>
    askRows<contract.UrlHistory[number]>([...keys.crawl(id), "history"], `/crawls/${id}/url/history`, { url }),
  pageText: (id: number, url: string, fetch: boolean) =>
    ask<contract.PageText>([...keys.crawl(id), "text"], `/crawls/${id}/url/text`, { url, fetch }),
  pageSource: (id: number, url: string) =>
    ask<contract.PageSource>([...keys.crawl(id), "source"], `/crawls/${id}/url/source`, { url }),
  /** Page after page of the links to or from a URL. */
  links: (id: number, url: string, asked: Pick<contract.LinksQuery, "direction"> & Partial<contract.LinksQuery>) =>
    askParts<contract.LinksPage>([...keys.crawl(id), "links"], `/crawls/${id}/url/links`, { ...asked, url }),
  graph: (id: number, nodes: number) =>
    ask<contract.Graph>([...keys.crawl(id), "graph"], `/crawls/${id}/graph`, { nodes }),
  structure: (id: number, folder: string | null) => ({
    ...ask<contract.Structure>([...keys.crawl(id), "structure"], `/crawls/${id}/structure`, { folder }),
    placeholderData: keepPreviousData,
  }),
  tree: (id: number, query: contract.TreeQuery) =>
    askParts<contract.Tree>([...keys.crawl(id), "tree"], `/crawls/${id}/tree`, query),
  decisions: (id: number, query: contract.DecisionsQuery = {}) => ({
    ...ask<contract.Decisions>([...keys.crawl(id), "decisions"], `/crawls/${id}/decisions`, query),
    placeholderData: keepPreviousData,
  }),
  issues: (id: number) => ask<contract.IssueList>([...keys.crawl(id), "issues"], `/crawls/${id}/issues`),
  issueTrend: (id: number, limit: number) =>
    ask<contract.IssueTrend>([...keys.crawl(id), "trend"], `/crawls/${id}/trend`, { limit }),
  /** Page after page of all links. */
  searchLinks: (id: number, query: contract.LinkSearchQuery) => ({
    ...askParts<contract.LinkSearchPage>([...keys.crawl(id), "all-links"], `/crawls/${id}/links`, query),
    placeholderData: keepPreviousData,
  }),
  /** Page after page of the URLs of one issue. */
  findings: (id: number, rule: string, query: contract.FindingsQuery = {}) => ({
    ...askParts<contract.Findings>([...keys.crawl(id), "findings", rule], `/crawls/${id}/issues/${rule}`, query),
    placeholderData: keepPreviousData,
  }),
  compare: (id: number, other: number, query: contract.CompareQuery = {}) => ({
    ...ask<contract.Comparison>([...keys.crawl(id), "compare", other], `/crawls/${id}/compare/${other}`, query),
    placeholderData: keepPreviousData,
  }),
  compareRows: (id: number, other: number, query: contract.CompareQuery) => ({
    ...askParts<contract.Comparison>([...keys.crawl(id), "compare", other], `/crawls/${id}/compare/${other}`, query),
    placeholderData: keepPreviousData,
  }),
};
