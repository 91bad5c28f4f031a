/**
 * The end of a crawl on one screen: statuses, what was left out and why, what is broken or slow, and which commands
 * to try next.
 */

import type { CrawlRecord } from "../../../app/crawls/registry.ts";
import type { DescribedCrawl } from "../../../app/operations/crawls.ts";
import { bytes, clean, codeWords, count, counted, duration } from "../../texts.ts";
import { table, wrap } from "./table.ts";
import { programName, type Style, statusStyle } from "./terminal.ts";

/** Loaded only when a status is printed: loading `node:http` takes longer than most commands that read a crawl. */
const statusCodes = () => process.getBuiltinModule("node:http").STATUS_CODES;

type CrawlSummary = DescribedCrawl["summary"];

export interface SummaryLayout {
  style: Style;
  /** Where tables are cut. */
  width: number;
  /** Where prose is wrapped. */
  proseWidth: number;
  /** How many broken and slow pages are listed. */
  listed: number;
}

/** The counts in a sentence. */
export function totalsText({ crawled, pages, bytes: size, discovered, links, numbers }: CrawlSummary): string {
  const same = numbers.notModified.count;
  const unchanged = same === 0 ? "" : ` (${count(same)} not modified)`;
  return `${count(crawled)} of ${counted(discovered, "URL")} crawled${unchanged}; ${counted(pages, "page")}, ${counted(links, "link")}, ${bytes(size)}.`;
}

export function summaryLines(summary: CrawlSummary, layout: SummaryLayout): string[] {
  return [
    ...section("Status", statuses(summary, layout), layout),
    ...section("Not crawled", reasons(summary, layout), layout),
    ...section("Traps", traps(summary, layout), layout),
    ...section(`Broken (${count(summary.broken)})`, broken(summary, layout), layout),
    ...section("Slowest", slowest(summary, layout), layout),
  ];
}

function section(title: string, lines: string[], { style }: SummaryLayout): string[] {
  return lines.length === 0 ? [] : ["", style.bold(title), ...lines];
}

function statuses({ statuses, errorCodes }: CrawlSummary, { style, width }: SummaryLayout): string[] {
  const rows = statuses.map(({ value, count: number }) => [
    { text: String(value), style: statusStyle(style, value) },
    count(number),
    statusCodes()[value] ?? "",
  ]);
  const failures = errorCodes.map(({ count: number, meaning }) => [
    { text: "error", style: style.bad },
    count(number),
    meaning,
  ]);
  return table({
    columns: [{ title: "" }, { title: "", align: "right" }, { title: "", least: 10 }],
    rows: [...rows, ...failures],
    width,
    indent: 2,
  });
}

function reasons({ reasons }: CrawlSummary, { proseWidth }: SummaryLayout): string[] {
  return table({
    columns: [
      { title: "", align: "right" },
      { title: "", wrapped: true, least: 20 },
    ],
    rows: reasons.map(({ count: number, meaning }) => [count(number), meaning]),
    width: proseWidth,
    indent: 2,
  });
}

/** The rule behind a trap, such as `maxUrlsPerPattern 30: /calendar/N/N`; for a recognised trap, also an example. */
function traps({ traps }: CrawlSummary, { width, style }: SummaryLayout): string[] {
  return table({
    columns: [
      { title: "", least: 30 },
      { title: "", align: "right" },
      { title: "", optional: true },
    ],
    rows: traps.flatMap(({ value, count: number, example }) => {
      const colon = value.indexOf(": ");
      const limit = colon < 0 ? "" : value.slice(0, colon);
      const shape = clean(value.slice(colon < 0 ? 0 : colon + 2));
      const row = [shape, `${count(number)} not crawled`, { text: limit, style: style.dim }];
      return limit === "stopTraps" ? [row, [{ text: `such as ${clean(example)}`, style: style.dim }, "", ""]] : [row];
    }),
    width,
    indent: 2,
  });
}

function broken({ brokenUrls, broken }: CrawlSummary, { style, width, listed }: SummaryLayout): string[] {
  const shown = brokenUrls.slice(0, listed);
  const lines = shown.flatMap(({ url, status, error, foundOn }) => {
    // A page that answered but cannot be read is also broken.
    const isRead = status !== null && (status >= 300 || error === null);
    const state = { text: isRead ? String(status) : codeWords(error ?? "none"), style: style.bad };
    const rows = [[state, clean(url)]];
    if (foundOn !== null) rows.push([{ text: "", style: style.dim }, `on ${clean(foundOn)}`]);
    return rows;
  });
  const columns = [{ title: "" }, { title: "", least: 20 }];
  const rest = broken - shown.length;
  return [
    ...table({ columns, rows: lines, width, indent: 2 }),
    ...(rest > 0 ? [`  ${style.dim(`and ${count(rest)} more`)}`] : []),
  ];
}

function slowest({ slowest }: CrawlSummary, { width, listed }: SummaryLayout): string[] {
  return table({
    columns: [
      { title: "", align: "right" },
      { title: "", least: 20 },
    ],
    rows: slowest.slice(0, listed).map(({ url, timeServer }) => [duration(timeServer), clean(url)]),
    width,
    indent: 2,
  });
}

/** What to type after the program's name, and what it does. */
export type Step = [typed: string, meaning: string];

export const afterCrawl = (id: number): Step[] => [
  [`show ${id}`, "this summary again"],
  [`issues ${id}`, "what is wrong, and how to fix it"],
  [`urls ${id} --filter outcome=broken`, "URLs, filtered and sorted"],
  [`why ${id} <url>`, "why a URL was crawled or not"],
  [`links ${id} <url>`, "what links to it, and what it links to"],
  [`export ${id} --output urls.csv`, "everything, as CSV or JSONL"],
];

export const toResume = (id: number): Step[] => [[`resume ${id}`, "continues where it stopped"]];

/** With less room next to the commands than this, what they do stands below them, as in the help. */
const LEAST_MEANING = 30;

export function stepLines(
  steps: Step[],
  style: Style,
  env: NodeJS.ProcessEnv,
  width: number = Number.POSITIVE_INFINITY,
): string[] {
  const shown = steps.map(([typed, meaning]): Step => [`${programName(env)} ${typed}`, meaning]);
  const widest = Math.max(...shown.map(([typed]) => typed.length));
  if (width - widest < LEAST_MEANING) {
    return shown.flatMap(([typed, meaning]) => [
      `  ${typed}`,
      ...wrap(meaning, width - 6).map((line) => `      ${style.dim(line)}`),
    ]);
  }
  return table({
    columns: [{ title: "" }, { title: "", wrapped: true, least: 12 }],
    rows: shown.map(([typed, meaning]) => [typed, { text: meaning, style: style.dim }]),
    width,
    indent: 2,
  });
}

/** A crawl in one line: where it started. */
export function startText({ mode, startUrls }: Pick<CrawlRecord, "mode" | "startUrls">): string {
  const first = clean(startUrls[0] ?? "");
  if (mode === "site") return first;
  return `a list: ${first}${startUrls.length > 1 ? ` and ${counted(startUrls.length - 1, "more host")}` : ""}`;
}
