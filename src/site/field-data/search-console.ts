/** Search Console: how often Google's results showed each page of a site, and how often people clicked. */
import type { FieldFacts } from "../facts/fact-rows.ts";
import { type Ask, answered } from "./service.ts";

export const SEARCH_CONSOLE_URL = "https://www.googleapis.com/webmasters/v3/sites";
/** The most that Search Console returns at once. */
const ROWS_AT_ONCE = 25_000;
const DAYS = 28;
/** Its figures for the last days are incomplete. */
const DELAY_DAYS = 3;
const DAY_MS = 86_400_000;

export type SearchFigures = Pick<FieldFacts, "clicks" | "impressions" | "search_position">;

export interface SearchConsoleAccess {
  url: string;
  /** An OAuth access token that may read the property. */
  token: string;
  /** As Search Console names it: https://example.com/ or sc-domain:example.com. */
  property: string;
}

interface Rows {
  rows?: { keys?: string[]; clicks?: number; impressions?: number; position?: number }[];
}

/** Every page that Google's results showed, some thousands at a time. */
export async function* askSearchConsole(
  ask: Ask,
  { url, token, property }: SearchConsoleAccess,
  now: number,
): AsyncIterable<[page: string, figures: SearchFigures][]> {
  const day = (daysAgo: number): string => new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10);
  const question = { startDate: day(DELAY_DAYS + DAYS - 1), endDate: day(DELAY_DAYS), dimensions: ["page"] };
  for (let startRow = 0; ; startRow += ROWS_AT_ONCE) {
    const answer = await ask({
      url: `${url}/${encodeURIComponent(property)}/searchAnalytics/query`,
      headers: { authorization: `Bearer ${token}` },
      body: { ...question, rowLimit: ROWS_AT_ONCE, startRow },
    });
    const { rows = [] } = answered<Rows>("Search Console", answer);
    yield rows.flatMap(({ keys, clicks = 0, impressions = 0, position }) =>
      keys?.[0] === undefined ? [] : [[keys[0], { clicks, impressions, search_position: position ?? null }] as const],
    ) as [string, SearchFigures][];
    if (rows.length < ROWS_AT_ONCE) return;
  }
}
