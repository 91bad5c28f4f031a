/** What is asked of stored crawls, and the smaller answers. */
import type { Change } from "../../site/store/compare.ts";
import type { UrlFacts } from "./crawl-answers.ts";

export interface PageOf<T> {
  total: number;
  rows: T[];
  next: string | null;
}

export interface Paged {
  id: number;
  limit: number;
  cursor: string | null;
}

export interface OfUrl {
  id: number;
  url: string;
}

export interface UrlsQuestion extends Paged {
  fields: string[];
  filter: string[];
  search: string | null;
  sort: string | null;
  /** Rows from here on, instead of a cursor. */
  offset: number | null;
}

export interface CrawlResult {
  url: string;
  status: number | null;
  title: string | null;
  indexable: string | null;
  contentType: string | null;
  error: string | null;
}

export interface UrlInCrawl extends UrlFacts {
  crawlId: number;
  crawlDateTime: number;
  hasChanged: boolean;
}

export interface CompareQuestion extends Paged {
  /** The earlier crawl. */
  other: number;
  change: Change | null;
  field: string | null;
  search: string | null;
}

export interface SqlQuestion {
  id: number;
  sql: string;
  limit: number;
  timeoutMs: number;
}
